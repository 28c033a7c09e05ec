// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The harness: it sees a failure, and the words of it.
// expect: memtile: this file must not compile
#if !defined(FIXED)
static_assert(sizeof(int) == 1, "memtile: this file must not compile");
#endif

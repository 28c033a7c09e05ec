// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test may ask of the runtime in late_runtime.cpp.
#pragma once

namespace late_runtime {
inline int calls = 0;     // that may fail, so far
inline int fail_at = -1;  // which of them does; the first is 1
inline int held = 0;      // streams, events and memory that have not been given back
inline int misuses = 0;   // busy streams that were destroyed, rows longer than their pitch
}  // namespace late_runtime

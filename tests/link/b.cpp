// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "uses.hpp"

answers from_b_cpp() { return use_everything(); }

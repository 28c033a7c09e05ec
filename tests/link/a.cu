// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "uses.hpp"

answers from_a_cu() { return use_everything(); }

// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moved to core/overlap.hpp, where epilogues reach it too.
#pragma once

#include <memtile/core/overlap.hpp>

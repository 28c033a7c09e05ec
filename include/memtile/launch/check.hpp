// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moved to core/check.hpp, where epilogues reach it too.
#pragma once

#include <memtile/core/check.hpp>

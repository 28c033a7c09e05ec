// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version, for the preprocessor; CMake reads it from here.
#pragma once

#define MEMTILE_VERSION_MAJOR 0
#define MEMTILE_VERSION_MINOR 1
#define MEMTILE_VERSION_PATCH 0

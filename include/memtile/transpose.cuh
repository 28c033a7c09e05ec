// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition: transpose(where, in, out), and permute_axes of volumes.
#pragma once

#include <memtile/algorithm/transpose.cuh>
#include <memtile/launch/permute_axes.cuh>
#include <memtile/launch/transpose.cuh>

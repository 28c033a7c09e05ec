// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything but the simulator, which is in sim.cuh.
#pragma once

#include <memtile/core/occupancy.hpp>
#include <memtile/domain.cuh>
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/pipeline.cuh>
#include <memtile/reduce.cuh>
#include <memtile/stencil.cuh>
#include <memtile/transpose.cuh>
#include <memtile/version.hpp>

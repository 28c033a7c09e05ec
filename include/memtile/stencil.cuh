// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils: stencil<Window>(where, in, out, functor, border), many steps of one, and filters.
#pragma once

#include <memtile/algorithm/any_window.cuh>
#include <memtile/algorithm/filters.cuh>
#include <memtile/algorithm/image_filters.cuh>
#include <memtile/algorithm/stencil.cuh>
#include <memtile/launch/any_window.cuh>
#include <memtile/launch/filters.cuh>
#include <memtile/launch/image_filters.cuh>
#include <memtile/launch/iterate.cuh>
#include <memtile/launch/stencil.cuh>

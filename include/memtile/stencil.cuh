// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils: stencil<Window>(where, in, out, functor, border), and many steps of one.
#pragma once

#include <memtile/algorithm/stencil.cuh>
#include <memtile/launch/stencil.cuh>

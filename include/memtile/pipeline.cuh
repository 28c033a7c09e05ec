// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data that lies on the host: a stream of frames through a pipeline, and arrays larger than the machine's memory in bands.
#pragma once

#include <memtile/launch/bands.hpp>
#include <memtile/launch/pipeline.hpp>

// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seams between the parts of a domain: subdomain, pack and unpack of halos. The exchange itself is the user's.
#pragma once

#include <memtile/algorithm/pack_parts.cuh>
#include <memtile/core/subdomain.hpp>
#include <memtile/launch/pack_parts.cuh>

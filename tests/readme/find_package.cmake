# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# [readme:find_package]
find_package(memtile 0.1 REQUIRED)
target_link_libraries(yours PRIVATE memtile::memtile)
# [readme:end]

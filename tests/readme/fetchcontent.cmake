# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# [readme:fetchcontent]
include(FetchContent)
FetchContent_Declare(memtile SOURCE_DIR ${CMAKE_SOURCE_DIR}/memtile)  # or GIT_REPOSITORY and GIT_TAG
FetchContent_MakeAvailable(memtile)
target_link_libraries(yours PRIVATE memtile::memtile)
# [readme:end]

// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catch2's main function, apart from the tests: Catch2 2.13 takes long to compile it, and nvcc need not.
#define CATCH_CONFIG_RUNNER
#include <memtile/sim/catch2.hpp>

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }

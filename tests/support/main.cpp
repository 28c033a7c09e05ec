// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of every test program, apart, because Catch2 2.13 takes long to compile it.
#define CATCH_CONFIG_RUNNER
#include <support/catch.hpp>

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }

// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "uses.hpp"

#include <cstdio>

answers from_b_cpp();
answers from_a_cu();
answers from_b_cu();

int main() {
  const answers mine = use_everything();
  const answers others[] = {from_b_cpp(), from_a_cu(), from_b_cu()};
  const char* const names[] = {"b.cpp", "a.cu", "b.cu"};
  int different = 0;
  for (int f = 0; f < 3; ++f)
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (others[f].size() != mine.size() || others[f][i].value != mine[i].value) {
        std::printf("%s: a.cpp says %.9g, %s says %.9g\n", mine[i].what.c_str(), mine[i].value, names[f], others[f][i].value);
        ++different;
      }
  return different != 0 || mine.empty();
}

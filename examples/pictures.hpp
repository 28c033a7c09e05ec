// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures in files, for the examples that take one: binary PGM and PPM, whose errors are said in words.
#pragma once

#include <memtile/core/status.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string& why) { throw std::runtime_error(why); }
inline void check(const memtile::status& status) {
  if (!status) fail(status.message());
}

struct picture {
  int rows = 0, columns = 0, white = 255;
  bool was_colour = false;
  std::vector<unsigned char> pixels;

  int operator()(int r, int c) const { return pixels[std::size_t(r) * std::size_t(columns) + std::size_t(c)]; }
};

// A number of the header, after white space and comments.
inline int read_number(std::istream& in, const char* what, int most) {
  while ((in >> std::ws).peek() == '#') in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  int number = 0;
  if (!(in >> number) || number < 1 || number > most)
    fail(std::string("the ") + what + " must be a number from 1 to " + std::to_string(most));
  return number;
}

// Binary PGM (P5) or PPM (P6).
inline picture read_picture(const std::string& name) try {
  std::ifstream in(name, std::ios::binary);
  if (!in) fail("cannot be opened");
  std::string magic(2, ' ');
  in.read(magic.data(), 2);
  if (magic != "P5" && magic != "P6") fail("not a binary PGM or PPM picture: it must begin with P5 or P6");

  constexpr int longest_side = 16384;  // floats of that size take 1 GiB
  picture p;
  p.was_colour = magic == "P6";
  p.columns = read_number(in, "width", longest_side);
  p.rows = read_number(in, "height", longest_side);
  p.white = read_number(in, "value of white", 255);
  in.get();  // one white space; the rest are pixels

  // Row by row: a file shorter than it says is found out before it gets memory.
  const int channels = p.was_colour ? 3 : 1;
  std::vector<unsigned char> row(std::size_t(channels * p.columns));
  for (int r = 0; r < p.rows; ++r) {
    if (!in.read(reinterpret_cast<char*>(row.data()), std::streamsize(row.size())))
      fail("ends in row " + std::to_string(r + 1) + " of " + std::to_string(p.rows));
    if (*std::max_element(row.begin(), row.end()) > p.white)
      fail("a pixel is brighter than white, which is " + std::to_string(p.white));
    for (auto v = row.begin(); v != row.end(); v += channels)
      p.pixels.push_back(p.was_colour ? static_cast<unsigned char>((299 * v[0] + 587 * v[1] + 114 * v[2] + 500) / 1000)
                                      : v[0]);
  }
  return p;
} catch (const std::runtime_error& error) {
  fail(name + ": " + error.what());
}

inline void write_picture(const std::string& name, const picture& p) {
  std::ofstream out(name, std::ios::binary);
  out << "P5\n" << p.columns << " " << p.rows << "\n" << p.white << "\n";
  out.write(reinterpret_cast<const char*>(p.pixels.data()), std::streamsize(p.pixels.size()));
  if (!out.flush()) fail(name + ": cannot be written");
}

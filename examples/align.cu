// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// align: where in a long sequence each of many short ones fits best, by Smith and Waterman, as a kernel of one's own.
//
// The best score of a path that ends at letter i of a query and letter j of the reference follows from three neighbours:
//
//   across(i, j) = max(across(i, j-1) - longer, score(i, j-1) - gap)        the reference has a letter more
//   down(i, j)   = max(down(i-1, j) - longer, score(i-1, j) - gap)          the query has a letter more
//   score(i, j)  = max(0, score(i-1, j-1) + (equal ? match : -mismatch), across(i, j), down(i, j))
//
// A warp has a query, four letters to a lane, and walks along the reference: the lanes below are each one letter behind,
// so that what a lane needs from above was made one step before. It comes by a shuffle, and nothing but the best score
// goes to memory. The reference comes to shared memory in segments, once for the eight warps of a block; the lanes still
// read the end of one while the first is in the next, so there is room for two.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace memtile;

constexpr int match = 2, mismatch = 3, gap = 5, longer = 2;

// The best score, and the letter of the reference at which its path ends; of equal ones the first.
struct fit {
  int score, end;
  MEMTILE_FUNCTION constexpr bool is_better_than(const fit& other) const {
    return score > other.score || (score == other.score && end < other.end);
  }
};
struct better {
  MEMTILE_FUNCTION fit operator()(const fit& a, const fit& b) const { return b.is_better_than(a) ? b : a; }
};

struct align_kernel {
  static constexpr int letters = 4, longest = 32 * letters;  // of a lane, of a query
  static constexpr int warps = 8, threads = 32 * warps, segment = 256;
  struct storage {
    shared_tile<uint8, 2, segment> reference;
  };
  struct from_above {
    int score, down;
  };

  // Queries have the letter 255 behind their ends, which no letter of the reference is equal to.
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const uint8> queries,
                                 vector_view<const uint8> reference, vector_view<fit> fits) const {
    const warp w = block.warp().complete();
    const int lane = w.lane(), query = block.grid_column() * warps + w.rank(), size = int(reference.size);
    vec<uint8, letters> letter{{255, 255, 255, 255}};
    if (query < queries.rows) letter = queries.load(wide<letters>, query, lane * letters);
    int score[letters] = {}, across[letters] = {}, corner = 0;  // paths of negative score are never continued
    from_above below{0, 0};
    fit best{0, -1};
    for (int begin = 0; begin < size + 31; begin += segment) {
      block.sync();  // nobody reads the segment before the last one any more
      for (int i = block.rank(); i < segment && begin + i < size; i += threads)
        shared.reference.store(begin / segment % 2, i, reference.load(begin + i));
      block.sync();
      for (int step = begin; step < min_of(begin + segment, size + 31); ++step) {
        from_above above = w.shuffle_up(below, 1);
        if (lane == 0) above = {0, 0};
        const int j = step - lane;
        if (j < 0 || j >= size) continue;
        const uint8 other = shared.reference.load(j / segment % 2, j % segment);
        int diagonal = corner;
        corner = above.score;
        MEMTILE_UNROLL
        for (int k = 0; k < letters; ++k) {
          across[k] = max_of(across[k] - longer, score[k] - gap);
          above.down = max_of(above.down - longer, above.score - gap);
          const int straight = diagonal + (letter[k] == other ? match : -mismatch);
          diagonal = score[k];
          score[k] = above.score = max_of(max_of(0, straight), max_of(across[k], above.down));
          if (score[k] > best.score) best = {score[k], j};
        }
        below = above;
      }
    }
    best = warp_reduce_to_first(w, best, better{});
    if (lane == 0 && query < queries.rows) fits.store(query, best);
  }
};

// The same by plain loops, row by row.
template <class Letters>
fit plain(const std::vector<uint8>& query, const Letters& reference) {
  const std::size_t n = reference.size();
  std::vector<int> score(n + 1, 0), down(n + 1, -gap);
  fit best{0, -1};
  for (const uint8 letter : query) {
    int diagonal = 0, across = -gap;
    for (std::size_t j = 1; j <= n; ++j) {
      across = std::max(across - longer, score[j - 1] - gap);
      down[j] = std::max(down[j] - longer, score[j] - gap);
      const int straight = diagonal + (letter == reference[j - 1] ? match : -mismatch);
      diagonal = score[j];
      score[j] = std::max({0, straight, across, down[j]});
      if (const fit here{score[j], int(j) - 1}; score[j] > 0 && here.is_better_than(best)) best = here;
    }
  }
  return best;
}

int main() {
  // Pieces of the reference in which letters have been changed, left out and put in; the last ones are made of nothing.
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return unsigned(random() % n); };
  constexpr int size = 1500, count = 29, pieces = 24;
  std::vector<uint8> reference;
  for (int i = 0; i < size; ++i) reference.push_back(uint8(below(4)));
  std::vector<std::vector<uint8>> queries(count);
  std::vector<int> ends;
  for (int q = 0; q < count; ++q) {
    const unsigned length = 1 + below(110), first = below(size - length);
    for (unsigned i = first; i < first + length; ++i) {
      const unsigned chance = q < pieces ? below(100) : 0;
      if (q >= pieces || chance < 4) queries[std::size_t(q)].push_back(uint8(below(4)));
      else if (chance > 5) queries[std::size_t(q)].push_back(reference[i]);
      if (chance == 6) queries[std::size_t(q)].push_back(uint8(below(4)));
    }
    ends.push_back(int(first + length) - 1);
  }
  const auto letter = [&](int q, int i) {
    const auto& query = queries[std::size_t(q)];
    return i < int(query.size()) ? query[std::size_t(i)] : uint8(255);
  };

  bool right = true;
  for (auto& machine : testing::machines()) {
    const auto words = machine.buffer<uint8>(count, align_kernel::longest, letter);
    const auto text = machine.buffer<uint8>(size, [&](int i) { return reference[std::size_t(i)]; });
    const auto fits = machine.buffer<fit>(count);
    const status done = launch(machine, grid(ceil_div(count, align_kernel::warps)), align_kernel{}, words.view(),
                               text.view(), fits.view());
    if (!done) return std::puts(done.message().c_str()), 1;
    const auto found = fits.host();
    int different = 0, in_place = 0;
    for (int q = 0; q < count; ++q) {
      const fit expected = plain(queries[std::size_t(q)], reference);
      different += found(q).score != expected.score || found(q).end != expected.end;
      in_place += q < pieces && std::abs(found(q).end - ends[std::size_t(q)]) <= 5;
    }
    std::printf(
        "%s: %d queries in %d letters, %d differ from those of plain loops; %d of %d pieces end where they were "
        "cut out\n",
        machine.name().c_str(), count, size, different, in_place, pieces);
    right &= different == 0 && in_place > pieces / 2 && fits.untouched();
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      std::printf("  loaded: %lld bytes for %d scores. %lld bank conflicts\n",
                  static_cast<long long>(report->total(sim::space::global, sim::access_kind::load).bytes_asked),
                  count * align_kernel::longest * size, static_cast<long long>(report->bank_conflicts()));
      right &= report->clean() && report->bank_conflicts() == 0;
    }
  }
  return right ? 0 : 1;
}

#include "core/plan/choose_splits.h"

#include <doctest/doctest.h>

using namespace fdlab;

TEST_CASE(
    "few bytes: one cluster a head, of blocks with half the warps unless the call before is no hindrance") {
  const SplitChoice waiting = choose_splits({8, 132, 256}), ready = choose_splits({8, 132, 256}, true);
  CHECK(waiting.splits == 8);  // 17 MB; the SMs would hold 16
  CHECK(waiting.warps == 4);
  CHECK(waiting.merges_in_clusters);
  CHECK(ready.splits == 8);
  CHECK(ready.warps == 8);
  CHECK(choose_splits({32, 132, 64}).splits == 4);        // as many as find an SM each
  CHECK(choose_splits({32, 132, 64}, true).splits == 3);  // and a quarter of the SMs for the next call
  CHECK(choose_splits({8, 132, 12}).splits == 3);         // a KV block for each warp
}

TEST_CASE("many bytes: as many splits as SMs, merged in clusters only by pairs") {
  CHECK(choose_splits({8, 132, 2048}).splits == 16);
  CHECK_FALSE(choose_splits({8, 132, 2048}).merges_in_clusters);
  CHECK(choose_splits({64, 132, 512}).splits == 2);
  CHECK(choose_splits({64, 132, 512}).merges_in_clusters);
  CHECK(choose_splits({8, 132, 256, 16384}).splits ==
        16);  // as many keys as one cluster would take, of twice the bytes
}

TEST_CASE("more than 64 splits are taken only where they bring many SMs and there is much to read") {
  CHECK(choose_splits({1, 132, 4096}).splits == 64);    // 34 MB
  CHECK(choose_splits({1, 132, 16384}).splits == 132);  // 134 MB
  CHECK(choose_splits({2, 132, 65536}).splits == 64);   // 66 would bring two SMs
  CHECK(choose_splits({1, 1000, 1 << 20}).splits == kMostChosenSplits);
}

TEST_CASE("more heads than SMs: one split, unless the last wave is thin") {
  CHECK(choose_splits({264, 132, 512}).splits == 1);
  CHECK(choose_splits({265, 132, 512}).splits > 1);
  CHECK(choose_splits({265, 132, 31}).splits == 1);  // too short to be cut
  CHECK(choose_splits({132, 132, 16}).warps == 2);
}

TEST_CASE("mergers: one for each 4096 floats, at most 64, and never more than half the SMs") {
  CHECK(num_mergers(2, 128, 132) == 1);
  CHECK(num_mergers(66, 128, 132) == 2);
  CHECK(num_mergers(132, 8 * 128, 132) == 33);
  CHECK(num_mergers(132, 32 * 128, 132) == 64);
  CHECK(num_mergers(4, 1 << 20, 132) == 4);  // a slice each
  CHECK(num_mergers(132, 32 * 128, 132, 6) == 22);
  CHECK(num_mergers(132, 32 * 128, 132, 1000) == 1);
  CHECK(num_mergers(512, 1 << 20, 20) == 10);
  CHECK(num_mergers(512, 1 << 20, 1) == 1);
}

TEST_CASE("the largest counts do not overflow") {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  CHECK(choose_splits({kMost, kMost, kMost, kMost}).splits >= 1);
  CHECK(choose_splits({1, kMost, kMost, kMost}).splits == kMostChosenSplits);
  CHECK(choose_splits({kMost - 1, kMost, kMost, kMost}).splits == 1);
}

#include "core/sim/split_rules.h"

#include <doctest/doctest.h>

#include "core/plan/plan.h"
#include "core/sim/recording.h"
#include "core/sim/simulate.h"
#include "cuda/split_rule.h"

using namespace fdlab;

TEST_CASE("12 heads on 108 SMs with 64 KV blocks: the library's own example") {
  const SplitQuestion q{12, 108, 64};
  CHECK(flash_attention_2_splits(q) == 16);
  CHECK(flash_attention_3_splits(q) == 8);
  CHECK(flash_attention_4_splits(q) == 9);
  CHECK(flashinfer_splits(q) == 16);  // 18 would fit, but a chunk of 3 blocks makes 22
  CHECK(our_splits(q) == 8);          // 9 would fill the SMs, but leave 7 blocks for 8 warps
}

TEST_CASE("efficiency is a saw-tooth") {
  CHECK(split_candidate({48, 108, 64}, 2).efficiency == doctest::Approx(0.889).epsilon(0.001));
  CHECK(split_candidate({48, 108, 64}, 3).efficiency == doctest::Approx(0.667).epsilon(0.001));
  CHECK(split_candidate({8, 132, 512}, 16).efficiency == doctest::Approx(0.970).epsilon(0.001));
  CHECK(split_candidate({8, 132, 512}, 17).efficiency == doctest::Approx(0.515).epsilon(0.001));
  CHECK(split_candidate({8, 132, 512}, 17).waves == 2);
}

TEST_CASE("11 and 12 splits of 64 blocks read alike: the twelfth is empty") {
  const SplitCandidate eleven = split_candidate({1, 108, 64}, 11), twelve = split_candidate({1, 108, 64}, 12);
  CHECK(eleven.blocks_per_split == 6);
  CHECK(twelve.blocks_per_split == 6);
  CHECK(eleven.eligible);
  CHECK_FALSE(twelve.eligible);
  CHECK(flash_attention_2_splits({1, 108, 64}) == 64);  // 55 would do, but reads no shorter than 33
}

TEST_CASE("rules keep within what there is to split") {
  for (const std::int64_t heads : {1, 5, 8, 86, 105, 106, 211, 1000, 1 << 20})
    for (const std::int64_t sms : {1, 4, 108, 132, 148})
      for (const std::int64_t blocks : {1, 4, 5, 64, 512, 1 << 20})
        for (const SplitRuleAnswer& rule : all_split_rules({heads, sms, blocks})) {
          CAPTURE(rule.name);
          CHECK(rule.splits >= 1);
          CHECK(rule.splits <= blocks);
          if (heads >= 2 * sms) CHECK_MESSAGE((rule.splits == 1 || rule.name == std::string("ours")), heads);
        }
}

TEST_CASE("our rule fills the SMs once, and cuts many heads only where the last wave would be thin") {
  CHECK(our_splits({8, 132, 512}) == 16);
  CHECK(our_splits({8, 132, 2048}) == 16);  // finer tiles are no reason for more splits
  CHECK(our_splits({1, 132, 100}) == 12);
  CHECK(our_splits({1, 132, 7}) == 1);
  CHECK(our_splits({132, 132, 512}) == 1);
  CHECK(our_splits({264, 132, 512}) == 1);
  CHECK(our_splits({265, 132, 512}) > 1);  // one block alone behind a wave of two an SM
  CHECK(our_splits({1 << 30, 1, 1 << 30}) == 1);
}

TEST_CASE("our rule takes what the kernel's planner took when the recordings were made") {
  // Shapes recorded with the planner's own count.
  struct Recorded {
    const char* file;
    std::int64_t heads, splits;
  };
  for (const Recorded& r :
       {Recorded{"1x32x8x4096", 8, 8}, Recorded{"1x32x8x32768", 8, 16}, Recorded{"1x32x32x32768", 32, 4},
        Recorded{"1x8x1x65536", 1, 64}, Recorded{"8x32x8x8192", 64, 2}, Recorded{"64x32x8x4096", 512, 1},
        Recorded{"ragged-8", 64, 2}}) {
    CAPTURE(r.file);
    const auto recording =
        read_recording(std::string(FDLAB_SOURCE_DIR "/lessons/recordings/one-kernel_") + r.file + ".json");
    REQUIRE(recording);
    CHECK(recording->num_splits == r.splits);
    const SplitQuestion question =
        split_question(*find_gpu("h200"), *find_kernel("one-kernel"), recording->problem);
    CHECK(question.heads == r.heads);
    CHECK(our_splits(question) == r.splits);
  }
}

TEST_CASE("the simulator deals a sequence's tiles to splits as the kernels do") {
  for (const std::int64_t keys : {1, 15, 16, 17, 333, 4097, 32768})
    for (const std::int32_t splits : {1, 2, 7, 16, 132}) {
      CAPTURE(keys);
      CAPTURE(splits);
      DecodePlan plan;
      plan.kv_len = keys;
      plan.tile_size = kTileKeys;
      plan.num_streams = splits;
      plan.deal = Deal::balanced;
      const SplitRule rule{splits, 1};
      for (std::int32_t s = 0; s < splits; ++s) {
        const KeySpan theirs = rule.split({0, static_cast<std::int32_t>(keys)}, s);
        const TileRun tiles = plan.stream(s);
        CHECK((tiles.count == 0) == (theirs.size() == 0));
        if (tiles.count == 0) continue;
        CHECK(plan.tile(tiles.first).begin == theirs.begin);
        CHECK(plan.tile(tiles.tile(tiles.count - 1)).end == theirs.end);
      }
    }
}

TEST_CASE("impossible questions are refused") {
  CHECK(find_fault(SplitQuestion{12, 0, 64}) == "expected SMs from 1 to 2147483648, found 0");
  CHECK(find_fault(SplitQuestion{-1, 108, 64}) == "expected heads from 1 to 2147483648, found -1");
  CHECK(find_fault(SplitQuestion{12, 108, 0}) == "expected KV blocks from 1 to 2147483648, found 0");
  CHECK(find_fault(SplitQuestion{12, 108, 64, 0}) ==
        "expected bytes a KV block from 1 to 2147483648, found 0");
  CHECK_FALSE(find_fault(SplitQuestion{12, 108, 64}));
}

#include "core/sim/split_rules.h"

#include <doctest/doctest.h>

using namespace fdlab;

TEST_CASE("12 heads on 108 SMs with 64 KV blocks: the library's own example") {
  const SplitQuestion q{12, 108, 64};
  CHECK(flash_attention_2_splits(q) == 16);
  CHECK(flash_attention_3_splits(q) == 8);
  CHECK(flash_attention_4_splits(q) == 9);
  CHECK(flashinfer_splits(q) == 16);  // 18 would fit, but a chunk of 3 blocks makes 22
  CHECK(our_splits(q) == 8);          // 8 blocks for every SM; 9 splits leave the longest at 8 too
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
  CHECK(our_splits({8, 132, 512}) == 16);
  CHECK(our_splits({132, 132, 512}) == 1);
}

TEST_CASE("impossible questions are refused") {
  CHECK(find_fault(SplitQuestion{12, 0, 64}) == "expected SMs from 1 to 2147483648, found 0");
  CHECK(find_fault(SplitQuestion{-1, 108, 64}) == "expected heads from 1 to 2147483648, found -1");
  CHECK(find_fault(SplitQuestion{12, 108, 0}) == "expected KV blocks from 1 to 2147483648, found 0");
  CHECK_FALSE(find_fault(SplitQuestion{12, 108, 64}));
}

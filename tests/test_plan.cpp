#include "core/plan/plan.h"

#include <doctest/doctest.h>

#include <vector>

using namespace fdlab;

namespace {
const Deal kDeals[] = {Deal::round_robin, Deal::contiguous, Deal::balanced};
}

TEST_CASE("every key lies in one tile and every tile in one stream, whatever the deal") {
  for (const Deal deal : kDeals)
    for (const std::int64_t kv_len : {0, 1, 5, 255, 256, 257, 346})
      for (const std::int64_t tile : {1, 4, 32, 256, 1000})
        for (const std::int64_t streams : {1, 2, 3, 7, 16, 400}) {
          const DecodePlan plan{kv_len, tile, streams, deal, MergeOrder::tree};
          CAPTURE(name_of(deal));
          CAPTURE(kv_len);
          CAPTURE(tile);
          CAPTURE(streams);
          std::int64_t next_key = 0;
          for (std::int64_t t = 0; t < plan.num_tiles(); ++t) {
            CHECK(plan.tile(t).begin == next_key);
            CHECK(plan.tile(t).size() >= 1);
            next_key = plan.tile(t).end;
          }
          CHECK(next_key == kv_len);

          std::vector<int> visits(static_cast<std::size_t>(plan.num_tiles()), 0);
          for (std::int64_t s = 0; s < streams; ++s) {
            const TileRun run = plan.stream(s);
            CHECK(run.count >= 0);
            for (std::int64_t k = 0; k < run.count; ++k) {
              ++visits[static_cast<std::size_t>(run.tile(k))];
              CHECK(plan.stream_of(run.tile(k)) == s);
              CHECK(plan.place_in_stream(run.tile(k)) == k);
            }
          }
          for (const int n : visits) CHECK(n == 1);

          std::int64_t opened = 0;
          for (std::int64_t t = 0; t < plan.num_tiles(); ++t) {
            CHECK(plan.streams_opened_before(t) == opened);
            if (plan.place_in_stream(t) == 0) ++opened;
          }
        }
}

TEST_CASE("a balanced deal differs by at most one tile") {
  const DecodePlan plan{1000, 10, 7, Deal::balanced, MergeOrder::tree};
  for (std::int64_t s = 0; s < 7; ++s) CHECK((plan.stream(s).count == 14 || plan.stream(s).count == 15));
}

TEST_CASE("more streams than tiles leaves streams empty, never negative") {
  const DecodePlan plan{5, 4, 16, Deal::contiguous, MergeOrder::tree};
  CHECK(plan.num_tiles() == 2);
  CHECK(plan.stream(1).count == 1);
  CHECK(plan.stream(2).count == 0);
  CHECK(plan.stream(15).count == 0);
}

TEST_CASE("names go to values and back, unknown names to nothing") {
  for (const Deal deal : kDeals) CHECK(deal_from_name(name_of(deal)) == deal);
  for (const char* name : {"sequential", "tree", "two-step", "flat"})
    CHECK(std::string(name_of(*merge_order_from_name(name))) == name);
  CHECK_FALSE(deal_from_name("fair"));
  CHECK_FALSE(merge_order_from_name(""));
}

TEST_CASE("plans that cannot be are refused with the number found") {
  CHECK_FALSE(find_fault(DecodePlan{0, 1, 1}));
  CHECK(find_fault(DecodePlan{-1, 1, 1})->find("-1") != std::string::npos);
  CHECK(find_fault(DecodePlan{10, 0, 1})->find("0") != std::string::npos);
  CHECK(find_fault(DecodePlan{10, 1, -3})->find("-3") != std::string::npos);
}

// Slots and columns: every tile has one column, columns never overlap, and keys stand inside their tile's column.
#include "viz/layout/columns.h"

#include <doctest/doctest.h>

#include <set>

using namespace fdlab;

namespace {

const Deal kDeals[] = {Deal::round_robin, Deal::contiguous, Deal::balanced};

DecodePlan plan_of(std::int64_t kv_len, std::int64_t tile_size, std::int64_t streams,
                   Deal deal = Deal::round_robin) {
  return {.kv_len = kv_len, .tile_size = tile_size, .num_streams = streams, .deal = deal};
}

}  // namespace

TEST_CASE("every tile has one slot, streams stand together in fold order, an empty stream keeps a slot") {
  for (const Deal deal : kDeals)
    for (const std::int64_t tiles : {0, 1, 2, 5, 11, 12})
      for (const std::int64_t streams : {1, 2, 3, 4, 7, 11, 15}) {
        CAPTURE(name_of(deal));
        CAPTURE(tiles);
        CAPTURE(streams);
        const SlotOrder order(plan_of(tiles * 8, 8, streams, deal));
        std::set<std::int64_t> seen;
        std::int64_t empty_streams = 0, stream = 0, place = -1;
        for (std::int64_t slot = 0; slot < order.count(); ++slot) {
          const Slot at = order.at(slot);
          const bool is_next_tile = at.stream == stream && at.place == place + 1;
          const bool opens_next_stream = at.stream == stream + 1 && at.place == 0;
          CHECK((is_next_tile || opens_next_stream));
          stream = at.stream;
          place = at.place;
          CHECK(order.last_of_stream(at.stream) >= slot);
          if (at.tile < 0) {
            ++empty_streams;
            CHECK(order.plan().stream(at.stream).count == 0);
          } else {
            CHECK(seen.insert(at.tile).second);
            CHECK(order.of_tile(at.tile) == slot);
            CHECK(order.plan().stream_of(at.tile) == at.stream);
          }
        }
        CHECK(static_cast<std::int64_t>(seen.size()) == tiles);
        CHECK(stream == streams - 1);
        CHECK(order.count() == tiles + empty_streams);
      }
}

TEST_CASE("the reference picture: 876 pixels, 346 keys, 32 to a tile") {
  const SlotOrder order(plan_of(346, 32, 11));
  const Columns columns(order, {.x0 = 404, .x1 = 1280, .F = 22});
  CHECK(columns.gutter_left() == 404 + 18);
  CHECK(columns.left() == 404 + 18 + 44);
  CHECK(columns.pitch() == 72);
  CHECK(columns.key_px() == 2);
  CHECK(columns.width() == 64);
  CHECK_FALSE(columns.scrolls());
  CHECK(columns.bars_of_tile(9) == 32);
  CHECK(columns.bars_of_tile(10) == 26);  // the last tile is as short as it is
  CHECK(columns.bar(9, 31).x1 - columns.x(9) == 64);
}

TEST_CASE("columns are disjoint, inside the stage and hold their keys, at any size, scale and plan") {
  for (const float width : {320.0f, 672.0f, 876.0f, 1065.0f, 2048.0f})
    for (const float F : {16.5f, 22.0f, 27.0f, 44.0f, 66.0f})
      for (const std::int64_t tile_size : {1, 4, 32, 100, 256, 5000})
        for (const std::int64_t streams : {1, 3, 11, 40})
          for (const Deal deal : kDeals) {
            const DecodePlan plan = plan_of(346, tile_size, streams, deal);
            const SlotOrder order(plan);
            const std::int64_t focus = order.count() * 2 / 3;
            const Columns columns(order, {.x0 = 100, .x1 = 100 + width, .F = F, .focus_slot = focus});
            CAPTURE(width);
            CAPTURE(F);
            CAPTURE(tile_size);
            CAPTURE(streams);
            CHECK(columns.is_visible(focus));
            if (order.count() > 1 && width > 8 * F) CHECK(columns.pitch() >= std::floor(2.2f * F));
            CHECK(columns.x(columns.first()) == columns.left());
            CHECK(columns.right() <= 100 + width);
            CHECK(columns.width() < columns.pitch());
            for (std::int64_t slot = columns.first(); slot < columns.end(); ++slot) {
              if (slot > columns.first()) CHECK(columns.x(slot) >= columns.x(slot - 1) + columns.width());
              CHECK(columns.x(slot) == std::floor(columns.x(slot)));
              CHECK(columns.slot_at(columns.center(slot)) == slot);
              const std::int64_t tile = order.at(slot).tile;
              if (tile < 0) continue;
              const std::int64_t bars = columns.bars_of_tile(tile);
              const auto last = columns.bar(tile, bars - 1);
              CHECK(columns.bar(tile, 0).x0 >= columns.x(slot));
              CHECK(last.x1 <= columns.x(slot) + columns.width());
              CHECK(columns.bar(tile, 0).keys.begin == plan.tile(tile).begin);
              CHECK(last.keys.end == plan.tile(tile).end);
              CHECK(columns.key_at(last.x0 + 0.5f) == last.keys.begin);
            }
          }
}

TEST_CASE("a million keys, one a tile: columns around any of them cost nothing") {
  const SlotOrder order(plan_of(1'000'000, 1, 1'000'000));
  const Columns columns(order, {.x0 = 0, .x1 = 876, .F = 22, .focus_slot = 777'777});
  CHECK(columns.scrolls());
  CHECK(columns.is_visible(777'777));
  CHECK(columns.end() - columns.first() < 24);
}

// Rows of the stage: in order, inside, and given up in the order of the visual specification.
#include "viz/layout/stage.h"

#include <doctest/doctest.h>

#include <vector>

using namespace fdlab;

namespace {

struct Stage {
  DecodePlan plan{.kv_len = 346, .tile_size = 32, .num_streams = 11, .merge = MergeOrder::tree};
  StageRequest request;

  explicit Stage(float width, float height, float F = 22) {
    request = {.area = {0, 44, width, 44 + height}, .F = F};
  }
  StageLayout layout() const {
    return layout_stage(request, SlotOrder(plan), MergeTree(plan.merge, plan.num_streams));
  }
};

}  // namespace

TEST_CASE("the reference window: everything has its place and its height") {
  const StageLayout stage = Stage(876, 764).layout();
  CHECK(stage.title.height() == 54);
  CHECK(stage.overview.is_empty());
  CHECK(stage.strip.height() == 116);
  CHECK(stage.lens.height() == 170);
  CHECK(stage.cards.height() == 128);
  CHECK(stage.level_pitch >= 60);
  CHECK(stage.decimals == 3);
  CHECK(stage.cards.y0 == 384);
}

TEST_CASE("1280 x 720 folds the lens and nothing else") {
  const StageLayout stage = Stage(876, 584).layout();
  CHECK(stage.lens.is_empty());
  CHECK_FALSE(stage.title.is_empty());
  CHECK(stage.level_pitch >= 60);
  CHECK(stage.has_o_row);
  CHECK(stage.cards.y0 == 214);
}

TEST_CASE("height is given up in order: lens, title, pitch of the tree, o") {
  // Each line is what one more loss leaves; losses only ever grow as the stage gets lower.
  int lost_before = 0;
  for (float height = 900; height > 200; height -= 10) {
    const StageLayout stage = Stage(876, height).layout();
    const bool lost[] = {stage.lens.is_empty(), stage.title.is_empty(), stage.level_pitch < 60,
                         !stage.has_o_row};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      if (lost[i]) {
        CHECK(count == i);  // nothing goes before what stands ahead of it
        ++count;
      }
    }
    CHECK(count >= lost_before);
    lost_before = count;
  }
  CHECK(lost_before == 4);
}

TEST_CASE("width is given up in order: decimals, S, row names") {
  int most_lost = 0;
  for (float width = 1000; width > 120; width -= 4) {
    Stage narrow(width, 764);
    narrow.request.characters_before_point = 7;
    const StageLayout stage = narrow.layout();
    const int lost = 3 - stage.decimals + (stage.has_S_row ? 0 : 1) + (stage.has_gutter ? 0 : 1);
    if (!stage.has_S_row) CHECK(stage.decimals == 1);
    if (!stage.has_gutter) CHECK_FALSE(stage.has_S_row);
    most_lost = std::max(most_lost, lost);
  }
  CHECK(most_lost == 4);
}

TEST_CASE("without m and l the card is lower, and S is never given up") {
  Stage lse(876, 764);
  lse.request.keeps_m_and_l = false;
  CHECK(lse.layout().cards.height() == 128 - 44);
  lse.request.characters_before_point = 12;
  CHECK(lse.layout().has_S_row);
}

TEST_CASE("rows follow each other inside the stage at any size, scale and plan") {
  for (const float width : {320.0f, 640.0f, 876.0f, 1065.0f, 2000.0f})
    for (const float height : {220.0f, 400.0f, 584.0f, 764.0f, 1400.0f})
      for (const float F : {16.5f, 22.0f, 33.0f, 44.0f})
        for (const std::int64_t tile : {1, 32, 400})
          for (const MergeOrder merge :
               {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step, MergeOrder::flat}) {
            Stage stage(width, height, F);
            stage.plan = {.kv_len = 346, .tile_size = tile, .num_streams = 5, .merge = merge};
            const StageLayout rows = stage.layout();
            float y = stage.request.area.y0;
            for (const Rect row :
                 {rows.title, rows.overview, rows.strip, rows.lens, rows.cards, rows.merges}) {
              if (row.is_empty()) continue;
              CHECK(row.y0 >= y);
              CHECK(stage.request.area.covers(row));
              y = row.y1;
            }
            const Rect card = rows.cards.left(100);
            const CardRows in_card = layout_card(card, rows, F, true);
            y = card.y0;
            for (const Rect row : {in_card.number, in_card.m, in_card.l, in_card.S, in_card.o}) {
              if (row.is_empty()) continue;
              CHECK(row.y0 == y);
              CHECK(card.covers(row));
              y = row.y1;
            }
          }
}

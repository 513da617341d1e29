// Boxes and edges of the merges: every ⊕ of the plan has one box, nothing overlaps, and no edge crosses another's box.
#include "viz/layout/merges.h"

#include <doctest/doctest.h>

#include <set>

using namespace fdlab;

namespace {

struct Picture {
  DecodePlan plan;
  SlotOrder order;
  MergeTree tree;
  StageRequest request;
  StageLayout stage;
  Columns columns;
  MergeLayout merges;

  Picture(DecodePlan p, float width, float height, float F, std::int64_t focus = 0)
      : plan(p),
        order(p),
        tree(p.merge, p.num_streams),
        request{.area = {0, 0, width, height}, .F = F, .focus_slot = focus},
        stage(layout_stage(request, order, tree)),
        columns(layout_columns(request, stage, order)),
        merges(layout_merges({.area = stage.merges,
                              .level_pitch = stage.level_pitch,
                              .decimals = stage.decimals,
                              .caption_width = 9 * F,
                              .caption_height = 3 * F},
                             columns, tree)) {}
};

DecodePlan plan_of(std::int64_t tiles, std::int64_t streams, MergeOrder merge,
                   Deal deal = Deal::round_robin) {
  return {.kv_len = tiles * 8 - 3, .tile_size = 8, .num_streams = streams, .deal = deal, .merge = merge};
}

std::vector<Rect> solid(const MergeEdge& edge) {
  std::vector<Rect> rects;
  for (const Rect r : edge_rects(edge, 7))
    if (!r.is_empty()) rects.push_back(r);
  return rects;
}

/// Every edge of the picture with the box it enters.
template <class F>
void for_each_edge(const Picture& p, F&& f) {
  for (const MergeBox& box : p.merges.boxes) {
    if (box.kind == StepKind::flat || box.kind == StepKind::weigh) continue;
    f(box.a, box.box);
    f(box.b, box.box);
  }
  for (const MergeSpoke& spoke : p.merges.spokes) f(spoke.edge, p.merges.boxes.back().box);
}

const MergeOrder kOrders[] = {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step,
                              MergeOrder::flat};

}  // namespace

TEST_CASE("the binary tree over eleven tiles") {
  const Picture p(plan_of(11, 11, MergeOrder::tree), 876, 764, 22);
  REQUIRE(p.merges.boxes.size() == 10);
  CHECK(p.merges.spokes.empty());
  const MergeBox& first = p.merges.boxes[0];
  CHECK(first.box.width() == 72);
  CHECK(first.box.height() == 28);
  CHECK(first.box.y0 == p.stage.cards.y1 + 62);
  CHECK(first.a.points[0].x == p.columns.center(0));
  CHECK(first.b.points[0].x == p.columns.center(1));
  CHECK(first.a.points[3].x == first.box.center().x - 18);
  CHECK_FALSE(first.a.label.is_empty());
  // Tile 10 passes through: one line from its card to the third level.
  const MergeBox& with_10 = p.merges.boxes[7];
  CHECK(p.tree.children(7).b == 10);
  CHECK(with_10.b.points[0].y == p.stage.cards.y1);
  CHECK_FALSE(p.merges.caption.is_empty());
}

TEST_CASE("every merge of the plan has one box while all columns are in sight") {
  for (const MergeOrder merge : kOrders)
    for (const Deal deal : {Deal::round_robin, Deal::contiguous, Deal::balanced})
      for (const std::int64_t tiles : {1, 2, 7, 11, 16})
        for (const std::int64_t streams : {1, 2, 3, 5, 11}) {
          const Picture p(plan_of(tiles, streams, merge, deal), 1200, 900, 22);
          std::set<std::pair<StepKind, std::int64_t>> found;
          for (const MergeBox& box : p.merges.boxes) CHECK(found.insert({box.kind, box.index}).second);
          std::set<std::pair<StepKind, std::int64_t>> expected;
          for (std::int64_t t = 0; t < tiles; ++t)
            if (p.plan.place_in_stream(t) > 0) expected.insert({StepKind::fold, t});
          for (std::int64_t i = 0; i < p.tree.num_merges(); ++i) expected.insert({StepKind::merge, i});
          if (merge == MergeOrder::two_step) {
            for (std::int64_t s = 1; s < streams; ++s) expected.insert({StepKind::log_sum, s});
            expected.insert({StepKind::weigh, 0});
          }
          if (merge == MergeOrder::flat && streams > 1) expected.insert({StepKind::flat, 0});
          CHECK(found == expected);
        }
}

TEST_CASE("boxes, edges and weights do not overlap at any size, scale and plan") {
  for (const float width : {480.0f, 672.0f, 876.0f, 1740.0f})
    for (const float F : {16.5f, 22.0f, 27.0f, 44.0f})
      for (const MergeOrder merge : kOrders)
        for (const std::int64_t tiles : {3, 11, 13, 40})
          for (const std::int64_t streams : {2, 4, 11, 40}) {
            if (width < 22 * F) continue;  // fewer than six columns
            const Picture p(plan_of(tiles, streams, merge), width, 900, F, tiles / 2);
            CAPTURE(width);
            CAPTURE(F);
            CAPTURE(std::string(name_of(merge)));
            CAPTURE(tiles);
            CAPTURE(streams);
            const auto& boxes = p.merges.boxes;
            for (std::size_t i = 0; i < boxes.size(); ++i) {
              CHECK(boxes[i].box.y0 >= p.stage.merges.y0);
              for (std::size_t k = i + 1; k < boxes.size(); ++k)
                CHECK_FALSE(boxes[i].box.overlaps(boxes[k].box));
            }
            for_each_edge(p, [&](const MergeEdge& edge, Rect target) {
              for (const Rect r : solid(edge))
                for (const MergeBox& other : boxes)
                  if (!(other.box == target)) CHECK_FALSE(r.overlaps(other.box));
              if (edge.label.is_empty()) return;
              for (const MergeBox& other : boxes) CHECK_FALSE(edge.label.overlaps(other.box));
              for_each_edge(p, [&](const MergeEdge& line, Rect) {
                for (const Rect r : solid(line)) CHECK_FALSE(edge.label.overlaps(r));
                if (&line != &edge) CHECK_FALSE(edge.label.overlaps(line.label));
              });
            });
            if (!p.merges.caption.is_empty())
              for_each_edge(p, [&](const MergeEdge& line, Rect target) {
                CHECK_FALSE(p.merges.caption.overlaps(target));
                for (const Rect r : solid(line)) CHECK_FALSE(p.merges.caption.overlaps(r));
              });
          }
}

TEST_CASE("an edge is as wide as asked, and whole at its corners") {
  MergeEdge edge;
  edge.points = {Vec2{10, 0}, {10, 20}, {30, 20}, {30, 40}};
  const auto rects = edge_rects(edge, 4);
  CHECK(rects[0] == Rect{8, 0, 12, 22});
  CHECK(rects[1] == Rect{8, 18, 32, 22});
  CHECK(rects[2] == Rect{28, 18, 32, 40});
  edge.points = {Vec2{10, 0}, {10, 20}, {10, 20}, {10, 20}};  // passed straight through
  CHECK(edge_rects(edge, 1)[0] == Rect{10, 0, 11, 20});
  CHECK(edge_rects(edge, 1)[1].is_empty());
}

TEST_CASE("a million leaves: only what the columns in sight need") {
  for (const MergeOrder merge : kOrders) {
    const Picture p(plan_of(1'000'000, 1'000'000, merge), 876, 764, 22, 654'321);
    CHECK(p.merges.boxes.size() < 100);
    CHECK(p.merges.spokes.size() < 30);
  }
}

TEST_CASE("a tree deeper than the stage shows the level that matters") {
  Picture p(plan_of(30'000, 30'000, MergeOrder::tree), 876, 584, 22);
  REQUIRE(p.merges.bottom > p.stage.merges.y1);
  for (const std::int64_t level : {1, 7, 15}) {
    const MergeLayout merges =
        layout_merges({.area = p.stage.merges, .level_pitch = p.stage.level_pitch, .focus_level = level},
                      p.columns, p.tree);
    int in_sight = 0;
    for (const MergeBox& box : merges.boxes)
      if (p.tree.level(box.index) == level && box.box.y0 >= p.stage.merges.y0 &&
          box.box.y1 <= p.stage.merges.y1)
        ++in_sight;
    CHECK(in_sight > 0);
  }
}

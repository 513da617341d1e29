// The merges below the cards: one box for every ⊕ in sight, with an edge from each side that enters it.
//
//   folds, sequential    a chain to the right: the box stands under the column it takes in
//   tree                 levels downwards: the box stands midway under its leaves, so no two edges cross
//   two-step             a chain of log-sums, then every stream runs into one box
//   flat                 every stream runs into one box
//
// Only what the visible columns need is laid out, whatever the number of leaves.
#pragma once

#include <array>
#include <vector>

#include "core/trace/step.h"
#include "viz/layout/stage.h"

namespace fdlab {

/// A line with right angles, from a partial to the box that takes it in; drawn as wide as its weight.
struct MergeEdge {
  std::array<Vec2, 4> points;  ///< equal neighbours: no such bend
  Rect label;                  ///< room for the weight; empty: none
};
/// The rectangles of an edge `width` pixels wide.
std::array<Rect, 3> edge_rects(const MergeEdge& edge, float width);

/// The point a share of the way along an edge, from its partial (0) to its box (1).
Vec2 point_along(const MergeEdge& edge, float share);

struct MergeBox {
  StepKind kind = StepKind::merge;  ///< fold, merge, log_sum; flat and weigh: the one box of all streams
  std::int64_t index = 0;           ///< fold: tile; merge: merge; log_sum: stream
  Rect box;
  MergeEdge a, b;  ///< not of the one box of all streams
};

/// A stream's way into the one box of all streams.
struct MergeSpoke {
  std::int64_t stream = 0;
  MergeEdge edge;
};

struct MergeLayout {
  std::vector<MergeBox> boxes;
  std::vector<MergeSpoke> spokes;
  Rect caption;      ///< room for title and legend, free of boxes and edges; empty: none
  int decimals = 3;  ///< that fit the boxes
  float bottom = 0;  ///< of the lowest box
};

struct MergeRequest {
  Rect area;  ///< StageLayout::merges
  float level_pitch = 60;
  int decimals = 3;
  int characters_before_point = 3;
  float caption_width = 0, caption_height = 0;
  std::int64_t focus_level = 0;  ///< of the tree: moved up so far that this level is in sight
};

MergeLayout layout_merges(const MergeRequest& request, const Columns& columns, const MergeTree& tree);

}  // namespace fdlab

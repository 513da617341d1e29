// The lens: the tokens of one or two tiles as text, up to eight a row, under the columns they belong to.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "viz/layout/columns.h"

namespace fdlab {

struct LensPanel {
  Rect box, title;
  std::int64_t slot = 0;
  KeyRange keys;  ///< shown: the whole tile, or as many rows of it as fit around the key that matters
  int per_row = 8;
  float cell_width = 0, cell_height = 0;
  Vec2 first_cell;

  Rect cell(std::int64_t key) const;
  /// From the column's foot in the strip to the panel's upper corners.
  std::array<Vec2, 2> left_thread, right_thread;
};

/// One panel under `a`, or two side by side. `key`: kept in sight; −1: none.
struct LensRequest {
  Rect area;             ///< StageLayout::lens
  float strip_foot = 0;  ///< lower end of the strip's columns
  std::int64_t tile_a = 0;
  std::optional<std::int64_t> tile_b = {};
  std::int64_t key = -1;
};
std::vector<LensPanel> layout_lens(const LensRequest& request, const Columns& columns);

}  // namespace fdlab

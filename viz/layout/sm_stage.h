// Where the parts of a GPU scene stand: two boards with their lanes, one under the other, the split counts under the boards
// and the curves under the lanes. All that has time shares one axis.
#pragma once

#include <cstdint>

#include "viz/layout/plot_axis.h"
#include "viz/rect.h"

namespace fdlab {

/// All SMs as equal square cells, numbered along the rows.
struct SmBoard {
  Rect area;
  std::int64_t sms = 0, columns = 1, rows = 1;
  float pitch = 0;

  Rect cell(std::int64_t sm) const;
  /// A block's part of the cell: one column a slot, more than four in rows of columns.
  Rect slot(std::int64_t sm, std::int64_t slot, std::int64_t slots) const;
  std::int64_t sm_at(Vec2 p) const;  ///< −1: none
};

/// SMs over time, one row each.
struct SmLanes {
  Rect area;
  std::int64_t sms = 0;

  /// From the upper to the lower edge of the `place`-th row, whole pixels.
  Rect row(std::int64_t place) const;
  std::int64_t place_at(float y) const;
};

struct SmGridLayout {
  Rect head;  ///< name and numbers
  SmBoard board;
  SmLanes lanes;
};

struct SmStageRequest {
  Rect area;
  float F = 22;
  std::int64_t sms = 132;
  double end_us = 1;
};

struct SmStageLayout {
  Rect title;
  SmGridLayout grids[2];
  Rect legend;       ///< under the boards
  Rect time_labels;  ///< under the lanes
  Rect sweep;        ///< title, plot and labels
  Rect curves[2];    ///< SMs with work, bandwidth: title and plot
  PlotAxis time;     ///< of lanes and curves
};

SmStageLayout layout_sm_stage(const SmStageRequest& request);

}  // namespace fdlab

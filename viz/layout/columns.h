// The pixel grid of the stage: a column is a slot (a tile), and strip, card and leaf of the merge tree stand under
// each other on it. Rows whose tiles do not fit show a run of columns around the one that matters now.
#pragma once

#include <cstdint>

#include "viz/layout/slots.h"
#include "viz/rect.h"

namespace fdlab {

/// `px` of the visual specification at 100 % in whole pixels of this scale, at least 1. F: height of a line of text.
inline float scaled_px(float F, float at_100_percent) {
  return std::max(1.0f, std::round(at_100_percent * F / 22));
}
/// The unit of spacing, 6 px at 100 %.
inline float spacing_unit(float F) { return std::round(F / 4); }

struct ColumnRequest {
  float x0 = 0, x1 = 0;  ///< the stage, margins included
  float F = 22;
  bool has_gutter = true;       ///< row names to the left of the columns
  std::int64_t focus_slot = 0;  ///< kept in sight when not all columns fit
};

class Columns {
 public:
  Columns(const SlotOrder& order, const ColumnRequest& request);

  const SlotOrder& order() const { return order_; }
  float F() const { return F_; }

  float gutter_left() const { return gutter_left_; }  ///< where row names start
  float left() const { return left_; }                ///< of the first visible column
  float right() const { return x(end() - 1) + width_; }
  float pitch() const { return pitch_; }
  float width() const { return width_; }  ///< of a card

  /// Slots [first, end) are visible.
  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + shown_; }
  bool is_visible(std::int64_t slot) const { return slot >= first_ && slot < end(); }
  bool scrolls() const { return shown_ < order_.count(); }

  /// Left edge of a slot, also of one out of sight.
  float x(std::int64_t slot) const;
  float center(std::int64_t slot) const { return x(slot) + std::floor(width_ / 2); }
  Rect column(std::int64_t slot, float y0, float y1) const { return {x(slot), y0, x(slot) + width_, y1}; }
  /// Middle of the columns of streams [begin, end): where a node that holds them stands.
  float center_of_streams(std::int64_t begin, std::int64_t end) const;

  /// Inside a column a key is key_px wide; where that would be less than a pixel, keys_per_px keys share one.
  float key_px() const { return key_px_; }
  std::int64_t keys_per_px() const { return keys_per_px_; }
  struct KeyPlace {
    float x0, x1;
    KeyRange keys;
  };
  /// Bars of a tile's keys: bar i of bars_of_tile(tile).
  std::int64_t bars_of_tile(std::int64_t tile) const;
  KeyPlace bar(std::int64_t tile, std::int64_t i) const;
  /// The slot under an x, or −1.
  std::int64_t slot_at(float x) const;
  /// The key under an x, or −1.
  std::int64_t key_at(float x) const;

 private:
  SlotOrder order_;
  float F_, gutter_left_, left_, pitch_, width_, group_gap_, key_px_;
  float strip_inset_;  // from the column's left edge to its first key
  std::int64_t keys_per_px_, first_, shown_, first_stream_;
};

}  // namespace fdlab

// The columns of the stage, as a formula of the plan: each tile has one slot, tiles of one stream stand side by
// side in the order in which the stream folds them, and a stream without tiles keeps one empty slot.
#pragma once

#include <cstdint>

#include "core/plan/plan.h"

namespace fdlab {

struct Slot {
  std::int64_t stream = 0;
  std::int64_t tile = -1;  ///< −1: the stream has no tiles
  std::int64_t place = 0;  ///< of the tile in its stream
};

class SlotOrder {
 public:
  explicit SlotOrder(const DecodePlan& plan);

  std::int64_t count() const;
  /// Every stream has at most one tile: columns are leaves, and nothing is folded.
  bool is_one_tile_per_stream() const { return longest_stream_ <= 1; }

  Slot at(std::int64_t slot) const;
  std::int64_t of_tile(std::int64_t tile) const;
  std::int64_t first_of_stream(std::int64_t stream) const;
  /// Where the stream's partial hangs: the slot of its last tile.
  std::int64_t last_of_stream(std::int64_t stream) const { return first_of_stream(stream + 1) - 1; }

  const DecodePlan& plan() const { return plan_; }

 private:
  std::int64_t tiles_before(std::int64_t stream) const;

  DecodePlan plan_;
  std::int64_t used_streams_;  // streams with tiles: always the first ones
  std::int64_t longest_stream_;
};

}  // namespace fdlab

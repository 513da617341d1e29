// What has happened of a run at one step: which tiles, folds and merges are done, under way or not yet reached, and which
// columns the step is about. A formula of the plan, like the steps themselves.
#pragma once

#include <cstdint>

#include "core/trace/trace.h"
#include "viz/layout/slots.h"

namespace fdlab {

enum class Progress : std::uint8_t { not_yet, now, done };

/// The side that a column, or a box, is of the present step.
enum class Side : std::uint8_t { none, only, a, b };

class StageProgress {
 public:
  StageProgress(const Trace& trace, const SlotOrder& order, std::int64_t step);

  const Step& step() const { return step_; }
  std::int64_t number() const { return number_; }

  /// Keys [0, keys_read()) have joined their tiles: the scan goes in key order.
  std::int64_t keys_read() const;
  /// Keys of a tile that have joined it.
  std::int64_t keys_scanned(std::int64_t tile) const;
  /// `now` for the tile whose keys are being scanned, up to its last step.
  Progress of_tile(std::int64_t tile) const;
  /// Of a box of the merges; kind and index as in MergeBox. A weighing is `now` from its first stream to its last.
  Progress of_box(StepKind kind, std::int64_t index) const;
  /// Whether a stream's payload is in the one weighted sum.
  Progress of_weigh(std::int64_t stream) const;

  /// What a column is to the present step: the tile scanned, or the side that it alone makes up.
  Side side_of_slot(std::int64_t slot) const;
  /// What a node of the merge tree is to the present merge; leaves are the columns of side_of_slot.
  Side side_of_node(std::int64_t node) const;
  /// The column to keep in sight, and the key that joined in this step (−1: none).
  std::int64_t focus_slot() const;
  std::int64_t key() const { return step_.key; }

  /// Tiles that the lens shows: a and, if the step joins two, b; −1: none. Of a side of many tiles, the heaviest.
  struct LensTiles {
    std::int64_t a = -1, b = -1;
  };
  LensTiles lens_tiles() const;

 private:
  Progress at(std::int64_t step_of_event) const;
  std::int64_t slot_of_stream_so_far() const;
  std::int64_t heaviest_tile(std::int64_t stream_begin, std::int64_t stream_end) const;

  const Trace& trace_;
  const SlotOrder& order_;
  std::int64_t number_;
  Step step_;
};

}  // namespace fdlab

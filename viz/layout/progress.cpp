#include "viz/layout/progress.h"

#include <algorithm>

namespace fdlab {
namespace {

constexpr std::int64_t kMostTilesCompared = 512;

}  // namespace

StageProgress::StageProgress(const Trace& trace, const SlotOrder& order, std::int64_t step)
    : trace_(trace), order_(order), number_(step), step_(trace.steps().at(step)) {}

Progress StageProgress::at(std::int64_t step_of_event) const {
  if (number_ < step_of_event) return Progress::not_yet;
  return number_ == step_of_event ? Progress::now : Progress::done;
}

std::int64_t StageProgress::keys_read() const {
  switch (step_.kind) {
    case StepKind::start: return 0;
    case StepKind::key: return step_.key + 1;
    case StepKind::tile_done:
    case StepKind::fold: return trace_.plan().tile(step_.tile).end;
    default: return trace_.plan().kv_len;
  }
}

std::int64_t StageProgress::keys_scanned(std::int64_t tile) const {
  const KeyRange keys = trace_.plan().tile(tile);
  return std::clamp<std::int64_t>(keys_read() - keys.begin, 0, keys.size());
}

Progress StageProgress::of_tile(std::int64_t tile) const {
  if (keys_scanned(tile) == 0) return Progress::not_yet;
  return number_ <= trace_.steps().of_tile_done(tile) ? Progress::now : Progress::done;
}

Progress StageProgress::of_box(StepKind kind, std::int64_t index) const {
  const StepIndex& steps = trace_.steps();
  switch (kind) {
    case StepKind::fold: return at(steps.of_tile_in_stream(index));
    case StepKind::merge: return at(steps.of_merge(index));
    case StepKind::log_sum: return at(steps.scan_end() + index);
    case StepKind::flat: return at(steps.merge_end());
    default:
      if (step_.kind == StepKind::weigh) return Progress::now;
      return at(steps.merge_end());
  }
}

Progress StageProgress::of_weigh(std::int64_t stream) const {
  const StepIndex& steps = trace_.steps();
  if (trace_.plan().merge == MergeOrder::flat) return at(steps.merge_end());
  return at(steps.merge_end() - trace_.plan().num_streams + 1 + stream);
}

Side StageProgress::side_of_slot(std::int64_t slot) const {
  const Slot at = order_.at(slot);
  const bool is_last = slot == order_.last_of_stream(at.stream);
  switch (step_.kind) {
    case StepKind::key:
    case StepKind::tile_done: return at.tile == step_.tile ? Side::only : Side::none;
    case StepKind::fold:
      if (at.tile == step_.tile) return Side::b;
      return slot == slot_of_stream_so_far() && at.place == 0 ? Side::a : Side::none;
    case StepKind::merge: return is_last && at.place == 0 ? side_of_node(at.stream) : Side::none;
    case StepKind::log_sum:
      if (!is_last || at.place > 0) return Side::none;
      if (at.stream == step_.stream) return Side::b;
      return at.stream == 0 && step_.stream == 1 ? Side::a : Side::none;
    case StepKind::weigh: return is_last && at.place == 0 && at.stream == step_.stream ? Side::b : Side::none;
    default: return Side::none;
  }
}

Side StageProgress::side_of_node(std::int64_t node) const {
  if (step_.kind != StepKind::merge) return Side::none;
  const auto [a, b] = trace_.tree().children(step_.merge);
  return node == a ? Side::a : node == b ? Side::b : Side::none;
}

std::int64_t StageProgress::slot_of_stream_so_far() const { return order_.of_tile(step_.tile) - 1; }

std::int64_t StageProgress::focus_slot() const {
  switch (step_.kind) {
    case StepKind::start: return 0;
    case StepKind::key:
    case StepKind::tile_done:
    case StepKind::fold: return order_.of_tile(step_.tile);
    case StepKind::merge: {
      const auto [begin, end] = trace_.tree().leaf_range(trace_.tree().leaves() + step_.merge);
      if (trace_.plan().merge == MergeOrder::sequential) return order_.last_of_stream(end - 1);
      return (order_.first_of_stream(begin) + order_.last_of_stream(end - 1)) / 2;
    }
    case StepKind::log_sum:
    case StepKind::weigh: return order_.last_of_stream(step_.stream);
    case StepKind::flat:
    case StepKind::check: return order_.count() / 2;
  }
  return 0;
}

std::int64_t StageProgress::heaviest_tile(std::int64_t stream_begin, std::int64_t stream_end) const {
  const std::int64_t first = order_.first_of_stream(stream_begin),
                     last = order_.last_of_stream(stream_end - 1);
  if (last - first >= kMostTilesCompared) return -1;
  std::int64_t heaviest = -1;
  float most = -1;
  for (std::int64_t slot = first; slot <= last; ++slot) {
    const std::int64_t tile = order_.at(slot).tile;
    if (tile < 0) continue;
    const float share = trace_.share(trace_.plan().tile(tile));
    if (share > most || heaviest < 0) heaviest = tile;
    most = std::max(most, share);
  }
  return heaviest;
}

StageProgress::LensTiles StageProgress::lens_tiles() const {
  const auto of_streams = [&](MergeTree::LeafRange streams) {
    return heaviest_tile(streams.begin, streams.end);
  };
  switch (step_.kind) {
    case StepKind::start: return {trace_.plan().num_tiles() > 0 ? 0 : -1, -1};
    case StepKind::key:
    case StepKind::tile_done: return {step_.tile, -1};
    case StepKind::fold: return {order_.at(slot_of_stream_so_far()).tile, step_.tile};
    case StepKind::merge: {
      const auto [a, b] = trace_.tree().children(step_.merge);
      return {of_streams(trace_.tree().leaf_range(a)), of_streams(trace_.tree().leaf_range(b))};
    }
    case StepKind::log_sum:
      return {heaviest_tile(0, step_.stream), heaviest_tile(step_.stream, step_.stream + 1)};
    case StepKind::weigh: return {heaviest_tile(step_.stream, step_.stream + 1), -1};
    case StepKind::flat:
    case StepKind::check: return {heaviest_tile(0, trace_.plan().num_streams), -1};
  }
  return {};
}

}  // namespace fdlab

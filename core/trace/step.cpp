#include "core/trace/step.h"

#include <algorithm>

namespace fdlab {
namespace {

std::int64_t merge_steps(const DecodePlan& plan) {
  const std::int64_t n = plan.num_streams;
  switch (plan.merge) {
    case MergeOrder::sequential:
    case MergeOrder::tree: return n - 1;
    case MergeOrder::two_step: return (n - 1) + n;
    case MergeOrder::flat: return n > 1 ? 1 : 0;
  }
  return 0;
}

}  // namespace

StepIndex::StepIndex(const DecodePlan& plan, Method method)
    : plan_(plan),
      key_by_key_(goes_key_by_key(method)),
      scan_end_(steps_before_tile(plan.num_tiles())),
      check_(scan_end_ + merge_steps(plan) + 1) {}

std::int64_t StepIndex::steps_before_tile(std::int64_t t) const {
  const std::int64_t keys = std::min(t * plan_.tile_size, plan_.kv_len);
  if (key_by_key_) return keys;
  const std::int64_t folds = t - plan_.streams_opened_before(t);
  return keys + t + folds;
}

std::int64_t StepIndex::of_key(std::int64_t key) const {
  const std::int64_t t = key / plan_.tile_size;
  return steps_before_tile(t) + (key - plan_.tile(t).begin) + 1;
}

std::int64_t StepIndex::of_tile_done(std::int64_t t) const {
  return steps_before_tile(t) + plan_.tile(t).size() + (key_by_key_ ? 0 : 1);
}

std::int64_t StepIndex::of_tile_in_stream(std::int64_t t) const { return steps_before_tile(t + 1); }

Step StepIndex::at(std::int64_t number) const {
  if (number <= 0) return {};
  if (number <= scan_end_) return scan_step(number);
  if (number < check_) return merge_step(number);
  return {.number = check_, .kind = StepKind::check};
}

Step StepIndex::scan_step(std::int64_t number) const {
  // The last tile with fewer than `number` steps before it.
  std::int64_t low = 0, high = plan_.num_tiles() - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (steps_before_tile(middle) < number) low = middle;
    else high = middle - 1;
  }
  const std::int64_t place = number - steps_before_tile(low) - 1;
  const KeyRange keys = plan_.tile(low);
  Step step{.number = number, .kind = StepKind::key, .tile = low, .stream = plan_.stream_of(low)};
  if (place < keys.size()) step.key = keys.begin + place;
  else step.kind = place == keys.size() ? StepKind::tile_done : StepKind::fold;
  return step;
}

Step StepIndex::merge_step(std::int64_t number) const {
  const std::int64_t place = number - scan_end_ - 1;
  switch (plan_.merge) {
    case MergeOrder::flat: return {.number = number, .kind = StepKind::flat};
    case MergeOrder::two_step: {
      const std::int64_t log_sums = plan_.num_streams - 1;
      if (place < log_sums) return {.number = number, .kind = StepKind::log_sum, .stream = place + 1};
      return {.number = number, .kind = StepKind::weigh, .stream = place - log_sums};
    }
    default: return {.number = number, .kind = StepKind::merge, .merge = place};
  }
}

}  // namespace fdlab

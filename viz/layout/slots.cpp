#include "viz/layout/slots.h"

#include <algorithm>

namespace fdlab {

SlotOrder::SlotOrder(const DecodePlan& plan)
    : plan_(plan),
      used_streams_(plan.streams_opened_before(plan.num_tiles())),
      longest_stream_(plan.stream(0).count) {}

std::int64_t SlotOrder::count() const { return plan_.num_tiles() + plan_.num_streams - used_streams_; }

std::int64_t SlotOrder::tiles_before(std::int64_t stream) const {
  if (stream >= used_streams_) return plan_.num_tiles();
  if (plan_.deal != Deal::round_robin) return plan_.stream(stream).first;
  const std::int64_t each = plan_.num_tiles() / plan_.num_streams;
  return stream * each + std::min(stream, plan_.num_tiles() % plan_.num_streams);
}

std::int64_t SlotOrder::first_of_stream(std::int64_t stream) const {
  return tiles_before(stream) + std::max<std::int64_t>(0, stream - used_streams_);
}

std::int64_t SlotOrder::of_tile(std::int64_t tile) const {
  return first_of_stream(plan_.stream_of(tile)) + plan_.place_in_stream(tile);
}

Slot SlotOrder::at(std::int64_t slot) const {
  // The last stream whose first slot is not beyond.
  std::int64_t low = 0, high = plan_.num_streams;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (first_of_stream(middle) <= slot ? low : high) = middle;
  }
  const std::int64_t place = slot - first_of_stream(low);
  return {low, low < used_streams_ ? plan_.stream(low).tile(place) : -1, place};
}

}  // namespace fdlab

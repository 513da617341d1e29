#include "cpu/block_walk.h"

#include <algorithm>

namespace fdlab {

BlockWalk::BlockWalk(const DecodePlan& plan, std::int64_t stream, KeyRange keys)
    : plan_(&plan), run_(plan.stream(stream)), keys_(keys) {}

KeyRange BlockWalk::next() {
  while (left_.size() <= 0) {
    if (place_ == run_.count) return {};
    const KeyRange tile = plan_->tile(run_.tile(place_++));
    left_ = {std::max(tile.begin, keys_.begin), std::min(tile.end, keys_.end)};
  }
  const KeyRange block{left_.begin, std::min(left_.begin + kBlockKeys, left_.end)};
  left_.begin = block.end;
  return block;
}

}  // namespace fdlab

#include "core/sim/placement.h"

#include <algorithm>

namespace fdlab {
namespace {

std::int64_t tpcs_of(std::int64_t sms) { return (sms + 1) / 2; }

/// How many blocks each GPC gets.
std::vector<std::int64_t> shares(const std::vector<std::int64_t>& gpc_sms, std::int64_t blocks) {
  std::vector<std::int64_t> share(gpc_sms.size(), 0);
  share[0] = std::min(blocks, gpc_sms[0]);
  blocks -= share[0];
  const auto take_turns = [&](auto most) {
    for (bool is_full = false; blocks > 0 && !is_full;) {
      is_full = true;
      for (std::size_t gpc = 1; gpc < share.size() && blocks > 0; ++gpc) {
        if (share[gpc] == most(gpc_sms[gpc])) continue;
        is_full = false;
        ++share[gpc];
        --blocks;
      }
    }
  };
  take_turns(tpcs_of);
  take_turns([](std::int64_t sms) { return sms; });
  return share;
}

}  // namespace

std::vector<std::int32_t> places_of(const Gpu& gpu, std::int64_t blocks) {
  const std::vector<std::int32_t>& order = gpu.launch_order;
  if (blocks >= gpu.sms) return order;
  if (gpu.gpc_sms.empty()) return {order.begin(), order.begin() + blocks};
  std::vector<std::int32_t> places;
  const std::vector<std::int64_t> share = shares(gpu.gpc_sms, blocks);
  auto gpc_begin = order.begin();
  for (std::size_t gpc = 0; gpc < share.size(); ++gpc) {
    const std::int64_t ones = std::min(share[gpc], tpcs_of(gpu.gpc_sms[gpc])), pairs = share[gpc] - ones;
    for (std::int64_t tpc = 0; tpc < ones; ++tpc) {
      places.push_back(gpc_begin[2 * tpc]);
      if (tpc < pairs) places.push_back(gpc_begin[2 * tpc + 1]);
    }
    gpc_begin += gpu.gpc_sms[gpc];
  }
  return places;
}

}  // namespace fdlab

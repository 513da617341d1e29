#include "core/plan/choose_splits.h"

#include <algorithm>

namespace fdlab {
namespace {

constexpr double kFewBytes = 24 << 20, kSomeBytes = 48 << 20;
constexpr std::int64_t kClusterBlocks = 8;  // of one cluster, always granted
// KV blocks: thread blocks of two warps, four an SM, hide each other's ends.
constexpr std::int64_t kShortSequence = 16;
constexpr std::int64_t kMostSplitsOfManyHeads = 8;

std::int64_t at_least_1(std::int64_t count) { return std::max<std::int64_t>(1, count); }

double kv_bytes(const SplitQuestion& q) {
  return static_cast<double>(q.heads) * static_cast<double>(q.blocks) * static_cast<double>(q.block_bytes);
}

/// Time of equal blocks in units of (one block's bytes / the device's bandwidth): whole waves run at full bandwidth, and so does
/// a rest unless it is so small that its blocks' bytes in flight bind. One block alone reaches 2 % of an H200's bandwidth with
/// 128 KiB under way (Little's law), and about the same share elsewhere, since bandwidth and SM count grow together.
double waves_time(std::int64_t blocks, std::int64_t slots) {
  constexpr double kShareOfOneBlock = 0.02;
  const auto rest = static_cast<double>(blocks % slots);
  const double rest_bandwidth = std::min(1.0, rest * kShareOfOneBlock);
  return static_cast<double>(blocks) - rest + (rest > 0 ? rest / rest_bandwidth : 0.0);
}

/// One split, unless the last wave would be so thin that cutting finer saves more than a merge costs.
SplitChoice choose_for_many_heads(const SplitQuestion& q) {
  constexpr double kWorthMerging = 0.95;
  const std::int32_t warps = q.blocks <= kShortSequence ? 2 : 4;
  const std::int64_t slots = q.sms * (8 / warps), most = std::min(q.blocks / 16, kMostSplitsOfManyHeads);
  std::int64_t best = 1;
  double best_time = waves_time(q.heads, slots);
  for (std::int64_t splits = 2; splits <= most; ++splits) {
    const double time = waves_time(q.heads * splits, slots) / static_cast<double>(splits);
    if (time >= best_time * kWorthMerging) continue;
    best = splits;
    best_time = time;
  }
  return {best, warps, false};
}

/// Beyond some splits, merging them costs more than further SMs bring where bytes are few, or where they bring few SMs.
std::int64_t worth_merging(std::int64_t splits, bool few_bytes) {
  constexpr std::int64_t kMany = 64;
  return splits > kMany && (few_bytes || 2 * splits < 3 * kMany) ? kMany : splits;
}

/// One cluster a head. The next call needs room beside this one: SMs if it may stream already, else half of each SM, to be there
/// in time.
SplitChoice choose_clusters(const SplitQuestion& q, bool kv_is_ready) {
  const std::int32_t warps = kv_is_ready ? 8 : 4;
  const std::int64_t room = at_least_1((kv_is_ready ? q.sms * 3 / 4 : q.sms) / q.heads);
  return {std::min({room, at_least_1(q.blocks / warps), kClusterBlocks}), warps, true};
}

}  // namespace

SplitChoice choose_splits(const SplitQuestion& q, bool kv_is_ready) {
  if (q.heads >= q.sms) return choose_for_many_heads(q);
  const std::int64_t fill = q.sms / q.heads,
                     worthwhile = at_least_1(q.blocks / 8);  // a KV block for each warp
  const bool clusters_fill =
      std::min(fill, worthwhile) <= kClusterBlocks || q.heads * kClusterBlocks * 5 >= q.sms * 2;
  if (kv_bytes(q) <= kFewBytes && clusters_fill) return choose_clusters(q, kv_is_ready);
  const std::int64_t splits = std::min({fill, worthwhile, std::int64_t{kMostChosenSplits}});
  return {worth_merging(splits, kv_bytes(q) <= kSomeBytes), 8, splits == 2};
}

std::int64_t num_mergers(std::int64_t splits, std::int64_t floats, std::int64_t sms,
                         std::int64_t priorities) {
  constexpr std::int64_t kFloatsOfOne = 4096, kMost = 64;
  return std::clamp<std::int64_t>(splits * floats / kFloatsOfOne, 1,
                                  at_least_1(std::min({splits, kMost, sms / priorities})));
}

}  // namespace fdlab

#include "core/sim/split_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace fdlab {
namespace {

constexpr std::int64_t kMostCount = std::int64_t{1} << 31;
constexpr double kGoodEnough = 0.85;    // of the best efficiency
constexpr double kAlmostFull = 0.8;     // of the slots: no split
constexpr std::int64_t kFewBlocks = 4;  // KV blocks that are not worth a split

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double efficiency(std::int64_t blocks, std::int64_t slots) {
  return static_cast<double>(blocks) / static_cast<double>(divide_up(blocks, slots) * slots);
}

bool is_eligible(std::int64_t kv_blocks, std::int64_t splits) {
  return splits == 1 || divide_up(kv_blocks, splits) != divide_up(kv_blocks, splits - 1);
}

/// Fewest splits up to `most` whose efficiency is within kGoodEnough of the best among those that `may` be taken.
template <class May>
std::int64_t fewest_good_enough(std::int64_t heads, std::int64_t slots, std::int64_t most, May may) {
  double best = 0;
  for (std::int64_t s = 1; s <= most; ++s)
    if (may(s)) best = std::max(best, efficiency(heads * s, slots));
  for (std::int64_t s = 1; s <= most; ++s)
    if (may(s) && efficiency(heads * s, slots) >= kGoodEnough * best) return s;
  return 1;
}

bool is_almost_full(std::int64_t heads, std::int64_t slots) {
  return static_cast<double>(heads) >= kAlmostFull * static_cast<double>(slots);
}

}  // namespace

std::optional<std::string> find_fault(const SplitQuestion& q) {
  const auto outside = [](const char* what, std::int64_t found) {
    return fmt::format("expected {} from 1 to {}, found {}", what, kMostCount, found);
  };
  if (q.heads < 1 || q.heads > kMostCount) return outside("heads", q.heads);
  if (q.sms < 1 || q.sms > kMostCount) return outside("SMs", q.sms);
  if (q.blocks < 1 || q.blocks > kMostCount) return outside("KV blocks", q.blocks);
  if (q.block_bytes < 1 || q.block_bytes > kMostCount) return outside("bytes a KV block", q.block_bytes);
  return std::nullopt;
}

std::int64_t our_splits(const SplitQuestion& q) { return choose_splits(q).splits; }

std::int64_t flash_attention_2_splits(const SplitQuestion& q) {
  const std::int64_t slots = 2 * q.sms;
  if (is_almost_full(q.heads, slots)) return 1;
  return fewest_good_enough(q.heads, slots, std::min({kMostSplits, slots, q.blocks}),
                            [&](std::int64_t s) { return is_eligible(q.blocks, s); });
}

std::int64_t flash_attention_3_splits(const SplitQuestion& q) {
  if (is_almost_full(q.heads, q.sms) || q.blocks <= kFewBlocks) return 1;
  return fewest_good_enough(q.heads, q.sms, std::min({kMostSplits, q.sms, q.blocks}),
                            [](std::int64_t) { return true; });
}

std::int64_t flash_attention_4_splits(const SplitQuestion& q) {
  if (q.blocks <= kFewBlocks) return 1;
  return std::max<std::int64_t>(1, std::min({q.sms / q.heads, kMostSplits, q.blocks}));
}

std::int64_t flashinfer_splits(const SplitQuestion& q) {
  const std::int64_t slots = 2 * q.sms;
  std::int64_t low = 1, high = q.blocks;  // chunk length in KV blocks
  while (low < high) {
    const std::int64_t chunk = (low + high) / 2;
    if (divide_up(q.blocks, chunk) * q.heads > slots) low = chunk + 1;
    else high = chunk;
  }
  return divide_up(q.blocks, low);
}

std::vector<SplitRuleAnswer> all_split_rules(const SplitQuestion& q) {
  return {{"ours", our_splits(q), q.sms,
           "SMs over heads, rounded down, of at least 8 KV blocks; of few bytes at most 8, one cluster"},
          {"FlashAttention-2", flash_attention_2_splits(q), 2 * q.sms,
           "fewest eligible splits within 85 % of the best efficiency over two slots an SM"},
          {"FlashAttention-3", flash_attention_3_splits(q), q.sms,
           "fewest splits within 85 % of the best efficiency over the SMs"},
          {"FlashAttention-4", flash_attention_4_splits(q), q.sms, "SMs over heads, rounded down"},
          {"FlashInfer", flashinfer_splits(q), 2 * q.sms,
           "shortest chunk with which all chunks fit two slots an SM at once"}};
}

SplitCandidate split_candidate(const SplitQuestion& q, std::int64_t splits) {
  SplitCandidate c{};
  c.splits = splits;
  c.blocks = q.heads * splits;
  c.waves = divide_up(c.blocks, q.sms);
  c.efficiency = efficiency(c.blocks, q.sms);
  c.blocks_per_split = divide_up(q.blocks, splits);
  c.eligible = is_eligible(q.blocks, splits);
  c.longest_sm = c.waves * c.blocks_per_split;
  return c;
}

std::vector<SplitCandidate> split_candidates(const SplitQuestion& q) {
  std::vector<SplitCandidate> candidates;
  for (std::int64_t s = 1; s <= std::min(kMostSplits, q.blocks); ++s)
    candidates.push_back(split_candidate(q, s));
  return candidates;
}

}  // namespace fdlab

#include "core/plan/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/io/counted.h"
#include "core/plan/given_tree.h"

namespace fdlab {
namespace {

constexpr std::array kDealNames{"round-robin", "contiguous", "balanced"};
constexpr std::array kMergeNames{"sequential", "tree", "two-step", "flat"};

template <class Enum, class Names>
std::optional<Enum> from_name(const Names& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

/// Balanced deal: the first `longer` streams hold `base + 1` tiles, the others `base`.
struct BalancedDeal {
  std::int64_t base, longer;
  explicit BalancedDeal(const DecodePlan& p)
      : base(p.num_tiles() / p.num_streams), longer(p.num_tiles() % p.num_streams) {}
  std::int64_t first(std::int64_t s) const { return s * base + std::min(s, longer); }
  std::int64_t count(std::int64_t s) const { return base + (s < longer ? 1 : 0); }
  std::int64_t stream_of(std::int64_t t) const {
    const std::int64_t in_longer = longer * (base + 1);
    return t < in_longer ? t / (base + 1) : longer + (t - in_longer) / base;
  }
};

std::int64_t contiguous_share(const DecodePlan& p) {
  return std::max<std::int64_t>(1, (p.num_tiles() + p.num_streams - 1) / p.num_streams);
}

}  // namespace

MergeRule::MergeRule(GivenTree tree)
    : order_(MergeOrder::tree), given_(std::make_shared<const GivenTree>(std::move(tree))) {}

const char* name_of(Deal deal) { return kDealNames[static_cast<std::size_t>(deal)]; }
const char* name_of(MergeOrder order) { return kMergeNames[static_cast<std::size_t>(order)]; }
const char* name_of(const MergeRule& merge) {
  return merge.given() ? "given-tree" : name_of(static_cast<MergeOrder>(merge));
}
std::optional<Deal> deal_from_name(const std::string& name) { return from_name<Deal>(kDealNames, name); }
std::optional<MergeOrder> merge_order_from_name(const std::string& name) {
  return from_name<MergeOrder>(kMergeNames, name);
}

KeyRange DecodePlan::tile(std::int64_t t) const {
  return {t * tile_size, std::min((t + 1) * tile_size, kv_len)};
}

TileRun DecodePlan::stream(std::int64_t s) const {
  const std::int64_t tiles = num_tiles();
  switch (deal) {
    case Deal::round_robin:
      return {s, num_streams, s < tiles ? (tiles - s + num_streams - 1) / num_streams : 0};
    case Deal::contiguous: {
      const std::int64_t share = contiguous_share(*this), first = std::min(s * share, tiles);
      return {first, 1, std::min(share, tiles - first)};
    }
    case Deal::balanced: return {BalancedDeal(*this).first(s), 1, BalancedDeal(*this).count(s)};
  }
  return {};
}

std::int64_t DecodePlan::stream_of(std::int64_t t) const {
  switch (deal) {
    case Deal::round_robin: return t % num_streams;
    case Deal::contiguous: return t / contiguous_share(*this);
    case Deal::balanced: return BalancedDeal(*this).stream_of(t);
  }
  return 0;
}

std::int64_t DecodePlan::place_in_stream(std::int64_t t) const {
  const TileRun run = stream(stream_of(t));
  return (t - run.first) / run.stride;
}

std::int64_t DecodePlan::streams_opened_before(std::int64_t t) const {
  if (t <= 0) return 0;
  return deal == Deal::round_robin ? std::min(t, num_streams) : stream_of(t - 1) + 1;
}

std::optional<std::string> find_fault(const DecodePlan& plan) {
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  if (plan.kv_len < 0) return "expected a KV length of at least 0, found " + number(plan.kv_len);
  if (plan.tile_size < 1) return "expected a tile of at least 1 key, found " + number(plan.tile_size);
  if (plan.num_streams < 1) return "expected at least 1 stream, found " + number(plan.num_streams);
  const GivenTree* const tree = plan.merge.given();
  if (tree && tree->leaves() != plan.num_streams)
    return "expected a merge tree over " + counted(plan.num_streams, "stream") + ", found one over " +
           number(tree->leaves());
  return std::nullopt;
}

}  // namespace fdlab

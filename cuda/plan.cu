#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/plan/choose_splits.h"
#include "cuda/block_fold.h"
#include "cuda/kv_ring.h"
#include "cuda/ladder.h"
#include "cuda/merge_partials.h"

namespace fdlab {
namespace {

constexpr std::int32_t kMostSplits = kMostChosenSplits;
constexpr std::int32_t kMostPartialsPerSplit = 4;  ///< rungs 5 and 6 leave one for each warp
constexpr std::int32_t kStaticBytes = 1536;        ///< of shared memory that every kernel declares itself
constexpr std::int32_t kMostKeys = 1 << 30;        ///< so that no position overflows 32 bits

std::string number(std::int64_t n) { return std::to_string(n); }

std::optional<std::string> find_shape_fault(const DeviceProblem& p) {
  if (p.batch < 0 || p.q_len < 1 || p.kv_len < 0)
    return "expected batch and kv_len of at least 0 and q_len of at least 1, found " + number(p.batch) +
           ", " + number(p.kv_len) + " and " + number(p.q_len);
  if (p.q_heads < 1 || p.kv_heads < 1 || p.q_heads % p.kv_heads != 0)
    return "expected the query heads to be a multiple of the KV heads, found " + number(p.q_heads) +
           " query heads and " + number(p.kv_heads) + " KV heads";
  if (p.head_dim < 1 || p.v_head_dim < 1 || p.head_dim > kMaxHeadDim || p.v_head_dim > kMaxHeadDim)
    return "expected head_dim and v_head_dim from 1 to " + number(kMaxHeadDim) + ", found " +
           number(p.head_dim) + " and " + number(p.v_head_dim);
  if (p.kv_len > kMostKeys)
    return "expected kv_len of at most " + number(kMostKeys) + ", found " + number(p.kv_len);
  if (1.0 * p.batch * p.q_heads * p.q_len > INT32_MAX)
    return "expected at most 2^31 − 1 query rows, found " + number(p.batch) + " × " + number(p.q_heads) +
           " × " + number(p.q_len);
  if (p.pages.pages && p.pages.page_size < 1)
    return "expected a page size of at least 1 token, found " + number(p.pages.page_size);
  if (p.features.window < 0)
    return "expected a window of at least 0 keys, found " + number(p.features.window);
  if (!(p.features.softcap >= 0 && std::isfinite(p.features.softcap)))
    return "expected a finite softcap of at least 0, found " + std::to_string(p.features.softcap);
  if (!std::isfinite(p.scale) || !std::isfinite(p.v_scale))
    return "expected finite scales, found " + std::to_string(p.scale) + " and " + std::to_string(p.v_scale);
  return std::nullopt;
}

std::optional<std::string> find_type_fault(const DeviceProblem& p) {
  const auto is_float = [](DType t) { return t == DType::f32 || t == DType::f16 || t == DType::bf16; };
  if (p.k.type != p.v.type)
    return std::string("expected K and V of one type, found ") + name_of(p.k.type) + " and " +
           name_of(p.v.type);
  if (!is_float(p.k.type) && p.k.type != DType::e4m3)
    return std::string("expected a KV cache of f32, f16, bf16 or e4m3, found ") + name_of(p.k.type);
  if (!is_float(p.q.type)) return std::string("expected q of f32, f16 or bf16, found ") + name_of(p.q.type);
  if (!is_float(p.o_type))
    return std::string("expected an output of f32, f16 or bf16, found ") + name_of(p.o_type);
  return std::nullopt;
}

/// Blocks lie on the grid as (split, KV head and row tile, batch); the last two axes hold 65535.
bool fits_grid(const DeviceProblem& p) {
  return p.batch <= 65535 && std::int64_t{1} * p.kv_heads * ((p.group() * p.q_len + 7) / 8) <= 65535;
}

std::optional<std::string> find_options_fault(const DeviceProblem& p, const PlanOptions& options) {
  if (options.num_splits < 0 || options.num_splits > kMostSplits)
    return "expected 1 to " + number(kMostSplits) + " splits, found " + number(options.num_splits);
  if (options.warps < 0 || options.warps > kMostWarps)
    return "expected 1 to " + number(kMostWarps) + " warps a block, found " + number(options.warps);
  if (options.stages < 0 || options.stages > kMostStages)
    return "expected 1 to " + number(kMostStages) + " tiles in flight, found " + number(options.stages);
  if (options.priorities < 1)
    return "expected at least one stream priority, found " + number(options.priorities);
  const DecodeInstance* instance = find_instance(p.k.type, p.head_dim);
  const std::int32_t most = instance ? instance->most_rows : 8, rows = options.rows;
  if (rows != 0 && ((rows != 8 && rows != 16 && rows != 32) || rows > most))
    return "expected 8, 16 … " + number(most) + " query rows a block, found " + number(rows);
  return std::nullopt;
}

/// Tuned kernels multiply q as the type of number that they make of K, which has to hold it.
bool query_fits(const DeviceProblem& p) {
  if (p.k.type == DType::e4m3) return p.q.type != DType::f32;
  return p.k.type == DType::f32 || p.q.type == p.k.type;
}

bool is_tuned(const DeviceProblem& p) {
  return find_instance(p.k.type, p.head_dim) && p.head_dim == p.v_head_dim && query_fits(p) &&
         rows_are_aligned(p.q) && rows_are_aligned(p.k) && rows_are_aligned(p.v) &&
         reinterpret_cast<std::uintptr_t>(p.o) % 16 == 0 && fits_grid(p);
}

std::int32_t ring_tile_bytes(const DeviceProblem& p) {
  return tile_bytes(p.head_dim * static_cast<std::int32_t>(size_in_bytes(p.k.type)));
}

/// Shared memory behind the rings, as BlockRoom lays it out: the block's partial, its statistics and the warps'.
std::int32_t room_bytes(const DeviceProblem& p, const CudaPlan& plan) {
  return plan.rows_per_block * ((p.head_dim + 4) * 4 + (1 + plan.warps) * 8);
}

/// Bytes of K and V that the blocks read; every row tile reads them anew.
std::int64_t bytes_to_read(const DeviceProblem& p, std::int64_t num_units) {
  const std::int64_t tiles = (p.kv_len + kTileKeys - 1) / kTileKeys;
  return num_units * tiles * kTileKeys * 2 * p.head_dim * static_cast<std::int64_t>(size_in_bytes(p.k.type));
}

/// Query rows of a block. Thirty-two share each key where keys are many; where they are few, two blocks of sixteen fill the SMs
/// sooner than one of thirty-two folds them.
std::int32_t choose_rows(const DeviceProblem& p, std::int32_t rows) {
  constexpr std::int64_t kSomeBytes = std::int64_t{48} << 20;
  if (rows <= 8) return 8;
  const bool many_keys = bytes_to_read(p, std::int64_t{1} * p.batch * p.kv_heads) > kSomeBytes;
  const std::int32_t most = find_instance(p.k.type, p.head_dim)->most_rows;
  return rows > 16 && many_keys ? most : std::min(most, 16);
}

/// How many blocks share a unit, and what they are made of.
SplitChoice choose_shape(const DeviceProblem& p, std::int64_t num_units, std::int64_t num_sms,
                         bool kv_is_ready) {
  const std::int64_t tiles = (p.kv_len + kTileKeys - 1) / kTileKeys;
  const std::int64_t bytes =
      std::int64_t{2} * kTileKeys * p.head_dim * static_cast<std::int64_t>(size_in_bytes(p.k.type));
  return choose_splits({std::max<std::int64_t>(1, num_units), num_sms, tiles, bytes}, kv_is_ready);
}

void plan_tuned(const DeviceProblem& p, const DeviceLimits& limits, const PlanOptions& options,
                CudaPlan& plan) {
  const std::int32_t rows = p.group() * p.q_len;
  plan.is_tuned = true;
  plan.kernel = std::string(p.k.type == DType::f32 ? "ordinary-core " : "tensor-core ") + name_of(p.k.type) +
                " head_dim " + number(p.head_dim);
  plan.rows_per_block = options.rows ? options.rows : choose_rows(p, rows);
  plan.row_tiles = (rows + plan.rows_per_block - 1) / plan.rows_per_block;
  plan.group = p.group();
  plan.num_units = p.batch * p.kv_heads * plan.row_tiles;

  const std::int64_t tiles = (p.kv_len + kTileKeys - 1) / kTileKeys;
  const SplitChoice shape = choose_shape(p, plan.num_units, limits.num_sms, options.kv_is_ready);
  plan.warps = options.warps ? options.warps : shape.warps;
  // A warp's ring has to hold its partial in the end, and better two tiles than one.
  const std::int32_t partial_bytes = plan.rows_per_block * (p.head_dim + 4) * 4;
  const std::int32_t least_stages =
      std::max(2, (partial_bytes + ring_tile_bytes(p) - 1) / ring_tile_bytes(p));
  const auto fits = [&](std::int32_t blocks) {
    const std::int32_t room = room_bytes(p, plan) + kStaticBytes;
    return plan.warps * least_stages * ring_tile_bytes(p) + room <=
           std::min(limits.shared_per_block, limits.shared_per_sm / blocks - 1024);
  };
  while (plan.warps > 1 && !fits(1))
    plan.warps = plan.warps == 4 ? 3 : plan.warps / 2;  // three keep more going than two
  plan.rule.num_splits = options.num_splits ? options.num_splits : static_cast<std::int32_t>(shape.splits);
  std::int32_t blocks_per_sm = std::max(1, 8 / plan.warps);
  while (blocks_per_sm > 1 && !fits(blocks_per_sm)) blocks_per_sm /= 2;
  plan.rule.min_tiles = static_cast<std::int32_t>(std::max<std::int64_t>(1, tiles / plan.rule.num_splits));

  const std::int32_t splits = plan.rule.num_splits,
                     quads = std::min(rows, plan.rows_per_block) * p.head_dim / 4;
  plan.mergers = static_cast<std::int32_t>(
      num_mergers(splits, std::int64_t{4} * quads, limits.num_sms, options.priorities));
  const std::int32_t groups = (splits + kManyWidth - 1) / kManyWidth;
  const std::int32_t spare_bytes = groups * ((quads / plan.mergers + 1) * 16 + plan.rows_per_block * 8);
  const std::int32_t budget = std::min(limits.shared_per_block, limits.shared_per_sm / blocks_per_sm - 1024) -
                              kStaticBytes - room_bytes(p, plan);
  const std::int64_t tiles_per_warp = (plan.rule.min_tiles + plan.warps) / plan.warps;
  const std::int32_t wanted =
      options.stages ? options.stages
                     : static_cast<std::int32_t>(std::min<std::int64_t>(kMostStages, tiles_per_warp));
  plan.stages =
      std::clamp(wanted, least_stages, std::max(least_stages, budget / (plan.warps * ring_tile_bytes(p))));
  // The rings, once empty, take groups of partials on their way to one.
  plan.ring_bytes = std::max(plan.warps * plan.stages * ring_tile_bytes(p), (spare_bytes + 15) / 16 * 16);
  plan.shared_bytes = plan.ring_bytes + room_bytes(p, plan);
  plan.most_shared_bytes = limits.shared_per_block - kStaticBytes;

  const bool can_cluster = limits.compute_capability >= 90 && plan.rule.num_splits <= kMostClusterBlocks;
  plan.merge = plan.rule.num_splits == 1                         ? SplitMerge::none
               : options.merge                                   ? *options.merge
               : shape.merges_in_clusters && !options.num_splits ? SplitMerge::cluster
                                                                 : SplitMerge::last_arriver;
  if (plan.merge == SplitMerge::cluster && !can_cluster) plan.merge = SplitMerge::last_arriver;
  // Blocks that start one by one, as those of the call before end, fall out of step: at gigabytes that costs more than waiting.
  constexpr std::int64_t kManyBytes = std::int64_t{3} << 29;
  const bool keeps_step = plan.rule.num_splits > 1 && bytes_to_read(p, plan.num_units) > kManyBytes;
  plan.overlaps = limits.compute_capability >= 90 && !keeps_step;
  plan.kv_is_ready = options.kv_is_ready && plan.overlaps;
  plan.num_tickets = static_cast<std::size_t>(plan.num_units);
  plan.awaited_floats =
      std::size_t{3} * plan.num_units * plan.rule.num_splits * plan.rows_per_block * p.head_dim / 2;
}

void plan_generic(const DeviceProblem& p, const DeviceLimits& limits, const PlanOptions& options,
                  CudaPlan& plan) {
  plan.kernel = std::string("generic ") + name_of(p.k.type);
  if (!query_fits(p)) plan.kernel += std::string(" (q ") + name_of(p.q.type) + ")";
  plan.rows_per_block = 1;
  plan.num_units = static_cast<std::int32_t>(p.num_rows());
  const std::int64_t tiles = (p.kv_len + kTileKeys - 1) / kTileKeys;
  plan.rule.num_splits = options.num_splits ? options.num_splits
                                            : static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                                  16 * limits.num_sms / std::max(1, plan.num_units), 1,
                                                  std::clamp<std::int64_t>(tiles / 4, 1, kMostSplits)));
  plan.rule.min_tiles = static_cast<std::int32_t>(std::max<std::int64_t>(1, tiles / plan.rule.num_splits));
}

}  // namespace

bool rows_are_aligned(const DeviceTensor& t) {
  const std::int64_t unit = 16 / static_cast<std::int64_t>(size_in_bytes(t.type));
  return reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0 && t.batch_stride % unit == 0 &&
         t.head_stride % unit == 0 && t.token_stride % unit == 0;
}

const char* name_of(SplitMerge merge) {
  switch (merge) {
    case SplitMerge::none: return "none";
    case SplitMerge::cluster: return "cluster";
    case SplitMerge::last_arriver: return "last-arriver";
  }
  return "?";
}

PlanResult make_plan(const DeviceProblem& p, const DeviceLimits& limits, const PlanOptions& options) {
  if (auto fault = find_shape_fault(p)) return {std::nullopt, *fault};
  if (auto fault = find_type_fault(p)) return {std::nullopt, *fault};
  if (auto fault = find_options_fault(p, options)) return {std::nullopt, *fault};
  CudaPlan plan;
  if (is_tuned(p)) plan_tuned(p, limits, options, plan);
  else plan_generic(p, limits, options, plan);
  if (plan.shared_bytes + kStaticBytes > limits.shared_per_block)
    return {std::nullopt, "expected fewer splits on a device of " + number(limits.num_sms) + " SMs with " +
                              number(limits.shared_per_block) + " bytes of shared memory a block, found " +
                              number(plan.rule.num_splits)};
  if (p.num_rows() * plan.rule.num_splits > INT32_MAX)
    return {std::nullopt, "expected at most 2^31 − 1 query rows times splits, found " +
                              number(p.num_rows() * plan.rule.num_splits)};
  if (plan.merge == SplitMerge::none && plan.is_tuned && plan.rule.num_splits > 1)
    return {std::nullopt, "expected a way to merge " + number(plan.rule.num_splits) + " splits, found none"};
  const std::int64_t rungs =
      (p.num_rows() * kMostPartialsPerSplit * (p.v_head_dim + 2) + 1) * plan.rule.num_splits;
  plan.partial_floats = plan.awaited_floats + static_cast<std::size_t>(rungs);
  return {plan, {}};
}

Workspace upload_plan(const CudaPlan& plan) {
  Workspace workspace{DeviceBuffer(plan.partial_floats * sizeof(float)),
                      DeviceBuffer(plan.num_tickets * sizeof(unsigned))};
  if (plan.awaited_floats > 0)
    FD_CUDA(cudaMemset(workspace.partials.data(), kAbsent & 0xff, plan.awaited_floats * sizeof(float)));
  if (plan.num_tickets > 0) FD_CUDA(cudaMemset(workspace.tickets.data(), 0, workspace.tickets.size()));
  return workspace;
}

}  // namespace fdlab

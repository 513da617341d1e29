#include "core/sim/simulate.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/sim/split_rules.h"

namespace fdlab {
namespace {

constexpr std::array kBoundNames{"launch", "latency", "bandwidth", "arithmetic", "tail", "merge"};

// The second kernel: one warp's worth of registers for each component, its partials in L2. Start and end are such that it
// adds the measured 1.6 to 1.8 us at 8 KV heads and 16 splits (NVIDIA H200, driver 580.159.04, 2026-11-30).
GridModel merge_grid() {
  GridModel model;
  model.block = {128, 40, 0};
  model.bytes_in_flight = 16384;
  model.l2_share = 1;
  model.start_us = 0.5;
  model.end_us = 0.3;
  return model;
}

/// Of the bytes that blocks read, those that L2 holds: all, when the step before left them there.
double share_in_l2(const Gpu& gpu, const DecodeShape& shape, bool kv_in_l2) {
  return kv_in_l2 && shape.kv_bytes() <= gpu.l2_bytes ? 1 : 0;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// What the kernel's own blocks merge: all of a head's where they are a cluster, by way of shared memory; else its last ones.
GridMerge merge_within(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape,
                       std::int64_t splits) {
  if (kernel.merge != MergeBy::last_arriver || splits == 1) return {};
  const SplitChoice choice = choose_splits(split_question(gpu, kernel, shape));
  if (choice.merges_in_clusters && choice.splits == splits) return {splits, kernel.merge_us, 0};
  const std::int64_t floats = kernel.rows_per_block(shape) * shape.v_head_dim;
  return {num_mergers(splits, floats, gpu.sms), kernel.merge_us, kernel.merge_trips};
}

double last_read_end_us(const KernelRun& run) {
  double last_us = 0;
  for (const ScheduledBlock& b : run.blocks) last_us = std::max(last_us, b.read_end_us);
  return last_us;
}

void add_merge(Schedule& s, const Gpu& gpu, const KernelModel& kernel) {
  s.launch_us = gpu.launch_us;
  if (s.num_splits == 1) return;
  if (kernel.merge == MergeBy::last_arriver) {  // the part of the span that is nothing but merging
    s.merge_us = s.split.span_us - last_read_end_us(s.split) - kernel.end_us;
    s.split.span_us -= s.merge_us;
    s.split.tail_us -= s.merge_us;
    return;
  }
  s.merge = run_grid(gpu, merge_grid(), merge_work(s.shape, s.num_splits));
  s.merge_us = s.merge.span_us;
  s.merge_start_us = s.split.span_us + gpu.launch_us;
  s.launch_us += gpu.launch_us;
}

void add_ratios(Schedule& s, const Gpu& gpu, const BlockResources& block) {
  const std::int64_t slots = s.sms * s.split.blocks_per_sm;
  const auto count = static_cast<std::int64_t>(s.split.blocks.size());
  s.waves = (count + slots - 1) / slots;
  s.slot_efficiency = static_cast<double>(count) / static_cast<double>(s.waves * slots);
  s.time_efficiency = static_cast<double>(s.shape.kv_bytes()) / (s.ceiling_gb_s * 1e3) / s.time_us;
  s.ratios.kernel_running = (s.time_us - s.launch_us) / s.time_us;
  s.ratios.last_wave_filled = static_cast<double>(count - (s.waves - 1) * slots) / static_cast<double>(slots);
  const double busy_us = sum(s.split.sm_busy_us);
  if (busy_us == 0) return;
  s.ratios.sms_with_work = busy_us / (static_cast<double>(s.sms) * s.split_kernel_us());
  double resident_us = 0;
  for (const ScheduledBlock& b : s.split.blocks) resident_us += b.end_us - b.start_us;
  s.ratios.occupancy =
      resident_us * static_cast<double>(block.warps()) / (busy_us * static_cast<double>(gpu.warps_per_sm()));
}

void add_bound(Schedule& s) {
  const std::array<double, kBoundNames.size()> part{s.launch_us,          s.split.latency_us,
                                                    s.split.bandwidth_us, s.split.arithmetic_us,
                                                    s.split.tail_us,      s.merge_us};
  const auto largest = std::max_element(part.begin(), part.end());
  s.bound = static_cast<Bound>(largest - part.begin());
  s.bound_share = *largest / s.time_us;
}

}  // namespace

const char* name_of(Bound bound) { return kBoundNames[static_cast<std::size_t>(bound)]; }

std::int64_t KernelRun::bytes() const {
  return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0},
                         [](std::int64_t sum, const ScheduledBlock& b) { return sum + b.bytes; });
}

Result<Schedule> simulate_step(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape,
                               const StepOptions& options) {
  if (const auto fault = find_fault(kernel.block, gpu)) return Fault{*fault};
  const auto work = split_work(shape, kernel, options.num_splits);
  if (!work) return work.fault();
  if (shape.batch * shape.q_heads * shape.q_len > kMostBlocks)
    return Fault{"expected at most " + std::to_string(kMostBlocks) + " query rows, found " +
                 std::to_string(shape.batch * shape.q_heads * shape.q_len)};
  GridModel model;
  model.block = kernel.block;
  model.bytes_in_flight = kernel.bytes_in_flight;
  model.start_us = kernel.start_us;
  model.cold_us = kernel.cold_us;
  model.end_us = kernel.end_us;
  model.round_us = kernel.round_us;
  model.memory_share = kernel.memory_share;
  model.crowding = kernel.crowding;
  model.merge = merge_within(gpu, kernel, shape, options.num_splits);
  model.reads_ahead = kernel.reads_ahead;
  model.readers = kernel.block_per_query_head ? shape.group() : 1;
  model.splits = options.num_splits;
  model.l2_share = share_in_l2(gpu, shape, options.kv_in_l2);
  model.math_gb_s = kernel.math_gb_s(shape, gpu);

  Schedule s;
  s.gpu = gpu.name;
  s.kernel = kernel.name;
  s.model_origin = gpu.memory.fitted_on;
  s.shape = shape;
  s.num_splits = options.num_splits;
  s.sms = gpu.sms;
  s.l2_share = model.l2_share;
  s.ceiling_gb_s = gpu.memory.ceiling_gb_s(model.l2_share);
  s.split = run_grid(gpu, model, *work);
  add_merge(s, gpu, kernel);
  s.time_us = s.launch_us + s.split.span_us + s.merge_us;
  add_ratios(s, gpu, kernel.block);
  add_bound(s);
  return s;
}

SplitQuestion split_question(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape) {
  const std::int64_t longest =
      shape.kv_lens.empty() ? shape.kv_len : *std::max_element(shape.kv_lens.begin(), shape.kv_lens.end());
  const std::int64_t heads = shape.batch * (kernel.block_per_query_head ? shape.q_heads : shape.kv_heads);
  const std::int64_t tiles = (longest + kernel.tile_size - 1) / kernel.tile_size;
  return {heads, gpu.sms, std::max<std::int64_t>(1, tiles), kernel.tile_size * shape.bytes_per_key()};
}

std::int64_t auto_splits(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape) {
  return our_splits(split_question(gpu, kernel, shape));
}

}  // namespace fdlab

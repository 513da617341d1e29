#include "core/sim/against.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/sim/simulate.h"

namespace fdlab {
namespace {

double end_us(const std::vector<RecordedBlock>& blocks) {
  std::int64_t last = 0;
  for (const RecordedBlock& b : blocks) last = std::max(last, b.end_ns);
  return static_cast<double>(last) * 1e-3;
}

double mean_block_us(const std::vector<RecordedBlock>& blocks) {
  double sum_ns = 0;
  for (const RecordedBlock& b : blocks) sum_ns += static_cast<double>(b.end_ns - b.start_ns);
  return sum_ns * 1e-3 / static_cast<double>(blocks.size());
}

double last_start_us(const std::vector<RecordedBlock>& blocks) {
  std::int64_t last = 0;
  for (const RecordedBlock& b : blocks) last = std::max(last, b.start_ns);
  return static_cast<double>(last) * 1e-3;
}

/// Mean share of the SMs with at least one block, from the first start to the last end.
double busy_share(const std::vector<RecordedBlock>& blocks, std::int64_t sms) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> of_sm;
  for (const RecordedBlock& b : blocks) of_sm[b.sm].push_back({b.start_ns, b.end_ns});
  double busy_ns = 0;
  for (auto& [sm, times] : of_sm) {
    std::sort(times.begin(), times.end());
    std::int64_t covered = 0;
    for (const auto& [start, end] : times) {
      busy_ns += static_cast<double>(std::max<std::int64_t>(0, end - std::max(start, covered)));
      covered = std::max(covered, end);
    }
  }
  const double span_us = end_us(blocks);
  return span_us == 0 ? 0 : busy_ns * 1e-3 / (span_us * static_cast<double>(sms));
}

/// The schedule's blocks as a recorder would note them: each from setup_us after it took its slot, on a clock that starts with the
/// first.
std::vector<RecordedBlock> noted(const Schedule& schedule, const KernelModel& kernel) {
  const auto ns = [](double us) { return std::llround(us * 1e3); };
  std::vector<RecordedBlock> blocks;
  for (const ScheduledBlock& b : schedule.split.blocks)
    blocks.push_back(
        {b.sequence, b.head, b.split, b.sm, ns(b.start_us), ns(b.end_us - kernel.setup_us), b.bytes});
  return blocks;
}

void launch_as_recorded(KernelModel& kernel, const Recording& recording) {
  kernel.name = recording.kernel;
  kernel.block = {recording.launch.threads_per_block, recording.launch.registers_per_thread,
                  recording.launch.shared_bytes_per_block};
  kernel.bytes_in_flight = recording.launch.bytes_in_flight_per_block;
  kernel.tile_size = recording.tile_size;
  if (recording.merge_blocks.empty()) kernel.merge = MergeBy::last_arriver;
}

}  // namespace

KernelModel kernel_of(const Recording& recording) {
  const auto named = find_kernel(recording.kernel);
  return named ? *named : *find_kernel("split");
}

double sms_with_work(const Recording& recording) { return busy_share(recording.blocks, recording.sm_count); }

Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording) {
  return compare_with(gpu, recording, kernel_of(recording));
}

Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording, KernelModel kernel) {
  launch_as_recorded(kernel, recording);
  auto schedule = simulate_step(gpu, kernel, recording.problem, {recording.num_splits, false});
  if (!schedule) return schedule.fault();
  const std::vector<RecordedBlock> predicted = noted(*schedule, kernel), &measured = recording.blocks;
  const auto compare = [&](const char* what, const char* unit, auto figure) {
    return Residual{what, unit, figure(predicted), figure(measured)};
  };
  std::vector<Residual> residuals{
      {"whole call", "us", schedule->time_us, recording.time_us},
      compare("split kernel, first start to last end", "us", end_us),
      compare("mean block", "us", mean_block_us),
      compare("last start", "us", last_start_us),
      compare("SMs with work", "%", [&](const auto& blocks) { return 100 * busy_share(blocks, gpu.sms); }),
      compare("blocks", "", [](const auto& blocks) { return static_cast<double>(blocks.size()); })};
  return Comparison{std::move(*schedule), std::move(residuals)};
}

}  // namespace fdlab

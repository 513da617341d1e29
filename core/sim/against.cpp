#include "core/sim/against.h"

#include <algorithm>
#include <map>

#include "core/sim/simulate.h"

namespace fdlab {
namespace {

double end_us(const std::vector<RecordedBlock>& blocks) {
  std::int64_t last = 0;
  for (const RecordedBlock& b : blocks) last = std::max(last, b.end_ns);
  return static_cast<double>(last) * 1e-3;
}

template <class Blocks, class Time>
double mean_of(const Blocks& blocks, Time time) {
  double sum = 0;
  for (const auto& b : blocks) sum += time(b);
  return sum / static_cast<double>(blocks.size());
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

double sms_with_work(const Recording& recording) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> of_sm;
  for (const RecordedBlock& b : recording.blocks) of_sm[b.sm].push_back({b.start_ns, b.end_ns});
  double busy_ns = 0;
  for (auto& [sm, times] : of_sm) {
    std::sort(times.begin(), times.end());
    std::int64_t covered = 0;
    for (const auto& [start, end] : times) {
      busy_ns += static_cast<double>(std::max<std::int64_t>(0, end - std::max(start, covered)));
      covered = std::max(covered, end);
    }
  }
  const double span_us = end_us(recording.blocks);
  return span_us == 0 ? 0 : busy_ns * 1e-3 / (span_us * static_cast<double>(recording.sm_count));
}

Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording) {
  return compare_with(gpu, recording, kernel_of(recording));
}

Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording, KernelModel kernel) {
  launch_as_recorded(kernel, recording);
  auto schedule = simulate_step(gpu, kernel, recording.problem, {recording.num_splits, false});
  if (!schedule) return schedule.fault();
  const auto& blocks = schedule->split.blocks;
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-3; };
  std::vector<Residual> residuals{
      {"whole call", "us", schedule->time_us, recording.time_us},
      {"split kernel, first start to last end", "us", schedule->split_kernel_us(), end_us(recording.blocks)},
      {"mean block", "us", mean_of(blocks, [](const ScheduledBlock& b) { return b.end_us - b.start_us; }),
       mean_of(recording.blocks, [&](const RecordedBlock& b) { return us(b.end_ns - b.start_ns); })},
      {"last start", "us",
       std::max_element(blocks.begin(), blocks.end(),
                        [](auto& a, auto& b) { return a.start_us < b.start_us; })
           ->start_us,
       us(std::max_element(recording.blocks.begin(), recording.blocks.end(),
                           [](auto& a, auto& b) { return a.start_ns < b.start_ns; })
              ->start_ns)},
      {"SMs with work", "%", 100 * schedule->ratios.sms_with_work, 100 * sms_with_work(recording)},
      {"blocks", "", static_cast<double>(blocks.size()), static_cast<double>(recording.blocks.size())}};
  return Comparison{std::move(*schedule), std::move(residuals)};
}

}  // namespace fdlab

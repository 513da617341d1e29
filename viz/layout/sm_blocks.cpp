#include "viz/layout/sm_blocks.h"

#include <algorithm>
#include <map>

namespace fdlab {
namespace {

constexpr double kUsPerNs = 1e-3;
constexpr double kBytesPerUs = 1e3;  // 1 GB/s

std::vector<SmBlock> model_blocks(const Schedule& s) {
  const double first_us = s.first_launch_us();
  std::vector<SmBlock> blocks;
  blocks.reserve(s.split.blocks.size());
  for (const ScheduledBlock& b : s.split.blocks)
    blocks.push_back(
        {b.sm, b.slot, b.sequence, b.head, b.split, first_us + b.start_us, first_us + b.end_us, b.bytes});
  return blocks;
}

std::vector<SmBlock> recorded_blocks(const MeasuredLaunch& measured, double first_us) {
  std::vector<SmBlock> blocks;
  std::map<std::int32_t, std::vector<double>> free_from;  // of each SM's slots
  for (const RecordedBlock& b : measured.blocks) {
    const double start = first_us + static_cast<double>(b.start_ns) * kUsPerNs;
    const double end = first_us + static_cast<double>(b.end_ns) * kUsPerNs;
    std::vector<double>& slots = free_from[b.sm];
    auto slot = std::find_if(slots.begin(), slots.end(), [&](double free) { return free <= start; });
    if (slot == slots.end()) slot = slots.insert(slots.end(), 0);
    *slot = end;
    blocks.push_back({b.sm, static_cast<std::int32_t>(slot - slots.begin()), b.sequence, b.head, b.split,
                      start, end, b.bytes});
  }
  return blocks;
}

}  // namespace

std::vector<SmBlock> blocks_of(const GpuGrid& grid, bool recorded) {
  if (recorded) return recorded_blocks(*grid.measured, grid.schedule.first_launch_us());
  return model_blocks(grid.schedule);
}

std::vector<std::int32_t> lanes_of(const std::vector<SmBlock>& blocks,
                                   const std::vector<std::int32_t>& launch_order) {
  std::vector<std::int32_t> lanes;
  std::vector<bool> has_lane(launch_order.size(), false);
  const auto add = [&](std::int32_t sm) {
    if (!has_lane[static_cast<std::size_t>(sm)]) lanes.push_back(sm);
    has_lane[static_cast<std::size_t>(sm)] = true;
  };
  for (const SmBlock& block : blocks) add(block.sm);
  for (const std::int32_t sm : launch_order) add(sm);
  return lanes;
}

std::vector<SmLoad> load_of(const std::vector<SmBlock>& blocks) {
  std::map<double, std::vector<const SmBlock*>> starts, ends;
  std::map<double, SmLoad> changes;
  for (const SmBlock& b : blocks) {
    starts[b.start_us].push_back(&b);
    ends[b.end_us].push_back(&b);
    changes[b.start_us], changes[b.end_us];
  }
  std::map<std::int32_t, int> resident;
  SmLoad now;
  std::vector<SmLoad> load;
  const auto rate = [](const SmBlock& b) {
    return static_cast<double>(b.bytes) / (std::max(1e-3, b.end_us - b.start_us) * kBytesPerUs);
  };
  for (const auto& [us, unused] : changes) {
    for (const SmBlock* b : ends[us]) {
      now.gb_s -= rate(*b);
      if (--resident[b->sm] == 0) now.busy_sms -= 1;
    }
    for (const SmBlock* b : starts[us]) {
      now.gb_s += rate(*b);
      if (resident[b->sm]++ == 0) now.busy_sms += 1;
    }
    load.push_back({us, now.busy_sms, std::max(0.0, now.gb_s)});
  }
  return load;
}

std::vector<SmLoad> load_of(const Schedule& s) {
  std::vector<SmLoad> load;
  const auto add = [&](const KernelRun& run, double span_us, double first_us) {
    for (const BandwidthStep& step : run.steps)
      load.push_back({first_us + step.start_us, static_cast<double>(step.busy_sms), step.gb_s});
    load.push_back({first_us + span_us, 0, 0});
  };
  add(s.split, s.split_kernel_us(), s.first_launch_us());
  if (!s.merge.blocks.empty()) add(s.merge, s.merge.span_us, s.first_launch_us() + s.merge_start_us);
  return load;
}

std::vector<SmLoad> sampled(const std::vector<SmLoad>& load, double end_us, int columns) {
  std::vector<SmLoad> samples(static_cast<std::size_t>(columns));
  const double width_us = end_us / columns;
  for (int c = 0; c < columns; ++c) samples[static_cast<std::size_t>(c)].us = (c + 0.5) * width_us;
  for (std::size_t i = 0; i + 1 < load.size(); ++i) {
    const double from = load[i].us, until = std::min(load[i + 1].us, end_us);
    for (int c = static_cast<int>(from / width_us); c < columns && c * width_us < until; ++c) {
      const double share = (std::min(until, (c + 1) * width_us) - std::max(from, c * width_us)) / width_us;
      SmLoad& sample = samples[static_cast<std::size_t>(c)];
      sample.busy_sms += share * load[i].busy_sms;
      sample.gb_s += share * load[i].gb_s;
    }
  }
  return samples;
}

}  // namespace fdlab

#include "core/sim/side_by_side.h"

#include <algorithm>
#include <cmath>

namespace fdlab {
namespace {

constexpr double kSameTime = 1e-9;  // us

/// Since the call: when the split kernel is through, and when the merge begins.
double split_end_us(const Schedule& s) { return s.first_launch_us() + s.split.span_us; }
double merge_start_us(const Schedule& s) {
  return s.merge.blocks.empty() ? split_end_us(s) : s.first_launch_us() + s.merge_start_us;
}

LaunchPhase phase_of(const Schedule& s, double call_us) {
  if (call_us >= s.time_us - kSameTime) return LaunchPhase::done;
  if (call_us < s.first_launch_us()) return LaunchPhase::launching;
  return call_us < split_end_us(s) ? LaunchPhase::reading : LaunchPhase::merging;
}

/// Adds what a kernel that ends at `end_us` does `us` after its own first block.
void add_kernel(LaunchMoment& moment, const KernelRun& run, double end_us, double us) {
  const auto next =
      std::upper_bound(run.steps.begin(), run.steps.end(), us,
                       [](double when, const BandwidthStep& step) { return when < step.start_us; });
  if (next == run.steps.begin() || us >= end_us) return;
  const BandwidthStep& now = *(next - 1);
  moment.busy_sms += now.busy_sms;
  moment.resident_blocks += now.resident_blocks;
  moment.gb_s += now.gb_s;
}

/// When the first of the SMs that had work has none any more.
double drain_us(const KernelRun& run, std::int64_t sms) {
  std::vector<double> last_end(static_cast<std::size_t>(sms), -1);
  for (const ScheduledBlock& b : run.blocks) {
    double& last = last_end[static_cast<std::size_t>(b.sm)];
    last = std::max(last, b.end_us);
  }
  double first = run.span_us;
  for (const double last : last_end)
    if (last >= 0) first = std::min(first, last);
  return first;
}

}  // namespace

LaunchMoment moment_of(const Schedule& s, double call_us) {
  LaunchMoment moment;
  moment.phase = phase_of(s, call_us);
  const double us = call_us - s.first_launch_us();
  moment.finished_blocks = std::count_if(s.split.blocks.begin(), s.split.blocks.end(),
                                         [&](const ScheduledBlock& b) { return b.end_us <= us; });
  if (us >= 0) add_kernel(moment, s.split, s.split_kernel_us(), us);
  if (!s.merge.blocks.empty()) add_kernel(moment, s.merge, s.merge.span_us, us - s.merge_start_us);
  return moment;
}

std::vector<TurningPoint> turning_points(const Schedule& s) {
  using enum TurningPoint::Kind;
  const double first_us = s.first_launch_us();
  const auto slots = static_cast<std::size_t>(s.sms * s.split.blocks_per_sm);
  std::vector<TurningPoint> points;
  for (std::size_t block = slots; block < s.split.blocks.size(); block += slots)
    points.push_back({wave, first_us + s.split.blocks[block].start_us});
  points.push_back({drain, first_us + drain_us(s.split, s.sms)});
  if (s.merge_us > 0) points.push_back({merge, merge_start_us(s)});
  points.push_back({done, s.time_us});
  std::stable_sort(points.begin(), points.end(), [](auto& a, auto& b) { return a.call_us < b.call_us; });
  return points;
}

std::int64_t StepClock::step_at(double call_us) const {
  const double slices = std::ceil((call_us - kSameTime) / slice_us);
  return static_cast<std::int64_t>(std::clamp(slices, 0.0, static_cast<double>(last_step)));
}

StepClock step_clock(double end_us) {
  StepClock clock;
  clock.end_us = std::max(end_us, kSameTime);
  const double least = clock.end_us / static_cast<double>(kMostSlices);
  const double decade = std::pow(10, std::floor(std::log10(least)));
  clock.slice_us = 10 * decade;
  for (const double nice : {5.0, 2.0, 1.0})
    if (nice * decade >= least) clock.slice_us = nice * decade;
  clock.last_step = static_cast<std::int64_t>(std::ceil(clock.end_us / clock.slice_us - kSameTime));
  return clock;
}

}  // namespace fdlab

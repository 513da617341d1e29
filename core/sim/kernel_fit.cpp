#include "core/sim/kernel_fit.h"

#include <algorithm>
#include <cmath>

#include "core/sim/nelder_mead.h"

namespace fdlab {
namespace {

constexpr int kIterations = 200;
constexpr double kImpossible = 1e3;

/// Of one recording: relative in time, absolute in the share of SMs with work.
struct Deviation {
  double time, busy;
};
Deviation deviation(const Gpu& gpu, const KernelModel& kernel, const Recording& recording) {
  const auto comparison = compare_with(gpu, recording, kernel);
  if (!comparison) return {kImpossible, kImpossible};
  const Schedule& predicted = comparison->predicted;
  return {predicted.time_us / recording.time_us - 1,
          predicted.ratios.sms_with_work - sms_with_work(recording)};
}

}  // namespace

std::vector<KernelConstant> free_constants(const std::string& kernel) {
  if (kernel == "one-kernel")
    return {{"math_share", &KernelModel::math_share, 0.2, 0.05, true},
            {"start_us", &KernelModel::start_us, 2.0, 1.0, true},
            {"end_us", &KernelModel::end_us, 0.5, 0.5, true},
            {"merge_us", &KernelModel::merge_us, 3.0, 1.0, true}};
  if (kernel == "one-block")
    return {{"math_share", &KernelModel::math_share, 0.012, 0.004, true},
            {"round_us", &KernelModel::round_us, 0.0, 0.1, false}};
  return {};
}

FitHalves halves_of(const std::vector<Recording>& recordings, const std::string& kernel) {
  FitHalves halves;
  bool is_seen = true;
  for (const Recording& recording : recordings) {
    if (recording.kernel != kernel) continue;
    (is_seen ? halves.seen : halves.held_out).push_back(recording);
    is_seen = !is_seen;
  }
  return halves;
}

KernelModel fit_kernel(const Gpu& gpu, const std::string& kernel, const std::vector<Recording>& seen) {
  const std::vector<KernelConstant> constants = free_constants(kernel);
  const KernelModel base = *find_kernel(kernel);
  const auto with = [&](const Point& values) {
    KernelModel model = base;
    for (std::size_t i = 0; i < constants.size(); ++i) model.*constants[i].value = values[i];
    return model;
  };
  const auto error = [&](const Point& values) {
    for (std::size_t i = 0; i < constants.size(); ++i)
      if (constants[i].is_positive && values[i] <= 0) return kImpossible;
    const KernelModel model = with(values);
    double sum = 0;
    for (const Recording& recording : seen) {
      const Deviation d = deviation(gpu, model, recording);
      sum += d.time * d.time + d.busy * d.busy;
    }
    return sum / static_cast<double>(seen.size());
  };
  Point start, step;
  for (const KernelConstant& constant : constants) {
    start.push_back(constant.start);
    step.push_back(constant.step);
  }
  return with(nelder_mead(error, start, step, kIterations));
}

FitError error_of(const Gpu& gpu, const KernelModel& kernel, const std::vector<Recording>& recordings) {
  FitError mean;
  for (const Recording& recording : recordings) {
    const Deviation d = deviation(gpu, kernel, recording);
    mean.time += std::abs(d.time) / static_cast<double>(recordings.size());
    mean.busy += std::abs(d.busy) / static_cast<double>(recordings.size());
  }
  return mean;
}

}  // namespace fdlab

#include "core/sim/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/sim/nelder_mead.h"

namespace fdlab {
namespace {

constexpr int kSearches = 4, kIterations = 300;
constexpr double kImpossible = 1e3;

/// Of one recording: relative in time, absolute in the share of SMs with work.
struct Deviation {
  double time, busy;
};
Deviation deviation(const Gpu& gpu, const KernelModel& kernel, const Recording& recording) {
  const auto comparison = compare_with(gpu, recording, kernel);
  if (!comparison) return {kImpossible, kImpossible};
  return {comparison->call().relative(), comparison->sms_with_work().difference() / 100};
}

bool is_possible(const KernelModel& k) {
  return k.math_share > 0 && k.setup_us >= 0 && k.setup_us <= k.start_us && k.cold_us >= 0 &&
         k.memory_share > 0.8 && k.memory_share < 1.2 && k.merge_us >= 0 && k.merge_trips >= 0;
}

}  // namespace

std::vector<KernelConstant> free_constants(const std::string& kernel) {
  if (kernel == "one-kernel")
    return {{"math_share", &KernelModel::math_share, 0.15, 0.05},
            {"start_us", &KernelModel::start_us, 3.0, 1.0},
            {"setup_us", &KernelModel::setup_us, 0.5, 0.5},
            {"cold_us", &KernelModel::cold_us, 0.5, 0.5},
            {"memory_share", &KernelModel::memory_share, 1.0, -0.03},
            {"merge_us", &KernelModel::merge_us, 1.0, 1.0},
            {"merge_trips", &KernelModel::merge_trips, 2.0, 0.5}};
  if (kernel == "one-block")
    return {{"math_share", &KernelModel::math_share, 0.03, 0.01},
            {"round_us", &KernelModel::round_us, -0.1, 0.1}};
  return {};
}

FitHalves halves_of(const std::vector<Recording>& recordings, const std::string& kernel) {
  std::vector<const Recording*> ordered;
  for (const Recording& recording : recordings)
    if (recording.kernel == kernel) ordered.push_back(&recording);
  const auto sizes = [](const Recording* r) {
    return std::tuple(r->problem.batch, r->problem.q_heads, r->problem.kv_heads, r->problem.kv_len,
                      r->num_splits);
  };
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Recording* a, const Recording* b) { return sizes(a) > sizes(b); });
  FitHalves halves;
  for (std::size_t i = 0; i < ordered.size(); ++i)
    (i % 2 == 0 ? halves.seen : halves.held_out).push_back(*ordered[i]);
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
    const KernelModel model = with(values);
    if (!is_possible(model)) return kImpossible;
    double sum = 0;
    for (const Recording& recording : seen) {
      const Deviation d = deviation(gpu, model, recording);
      sum += d.time * d.time + d.busy * d.busy;
    }
    return sum / static_cast<double>(seen.size());
  };
  Point best, step;
  for (const KernelConstant& constant : constants) {
    best.push_back(constant.start);
    step.push_back(constant.step);
  }
  // A simplex may shrink before it is there: it is spread again.
  for (int i = 0; i < kSearches; ++i) best = nelder_mead(error, best, step, kIterations);
  return with(best);
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

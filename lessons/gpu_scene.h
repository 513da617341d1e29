// A lesson's scene that is a GPU: one decode step as two launches on one clock, A beside B, with what was measured of them
// and what other split counts would do. Everything shown of it is read from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/sim/measured.h"
#include "core/sim/side_by_side.h"
#include "core/sim/split_rules.h"
#include "lessons/gpu_scene_spec.h"

namespace fdlab {

/// One of the two launches.
struct GpuGrid {
  Schedule schedule;
  std::optional<MeasuredLaunch> measured;
  std::vector<TurningPoint> turning_points;

  std::int64_t blocks() const { return static_cast<std::int64_t>(schedule.split.blocks.size()); }
  std::int64_t used_sms() const;  ///< that get at least one block
  double mean_gb_s() const;       ///< bytes over the split kernel's span
  double block_gb_s() const;      ///< of one block while it is there, mean over the blocks
  double predicted_us() const;    ///< what `measured` is compared with: whole call or span
};

/// B with another split count.
struct SweepPoint {
  SplitCandidate candidate;
  double time_us = 0;
  std::optional<double> measured_us;
};

struct GpuScene {
  GpuSceneSpec spec;
  Gpu gpu;
  KernelModel kernel;
  GpuGrid a, b;
  StepClock clock;
  SplitQuestion question;  ///< what the split rules are asked
  std::vector<SplitRuleAnswer> rules;
  std::vector<SweepPoint> sweep;  ///< by split count, from 1

  const GpuGrid& grid(bool is_b) const { return is_b ? b : a; }
};

/// `recordings`: looked through for what was measured.
Result<GpuScene> make_gpu_scene(const GpuSceneSpec& spec, const std::vector<Recording>& recordings);

}  // namespace fdlab

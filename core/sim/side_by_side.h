// Two launches on one clock that starts with the call, so that what both do at a moment can be compared. The clock ticks
// in equal slices: a step of the lessons' transport.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/schedule.h"

namespace fdlab {

/// What a launch is busy with.
enum class LaunchPhase : std::uint8_t { launching, reading, merging, done };

/// A launch at one moment.
struct LaunchMoment {
  LaunchPhase phase = LaunchPhase::launching;
  std::int64_t busy_sms = 0;         ///< with at least one block
  std::int64_t resident_blocks = 0;  ///< in slots
  std::int64_t finished_blocks = 0;
  double gb_s = 0;  ///< what the blocks read together
};

/// `call_us`: since the call.
LaunchMoment moment_of(const Schedule& schedule, double call_us);

/// Where a launch changes its face.
struct TurningPoint {
  enum class Kind : std::uint8_t {
    wave,   ///< the first block of a later wave starts
    drain,  ///< an SM has run out of blocks for good while others still read
    merge,  ///< the last split is read, partials are merged
    done,
  };
  Kind kind = Kind::done;
  double call_us = 0;
};

/// In the order of time.
std::vector<TurningPoint> turning_points(const Schedule& schedule);

/// Steps 0 … last_step, `slice_us` apart; the last one is the end, wherever it lies.
struct StepClock {
  double slice_us = 1, end_us = 0;
  std::int64_t last_step = 0;

  double time_us(std::int64_t step) const {
    return step >= last_step ? end_us : static_cast<double>(step) * slice_us;
  }
  /// The first step at which `call_us` has passed.
  std::int64_t step_at(double call_us) const;
};

inline constexpr std::int64_t kMostSlices = 400;

/// Slices of 1, 2 or 5 times a power of ten, as short as kMostSlices allow.
StepClock step_clock(double end_us);

}  // namespace fdlab

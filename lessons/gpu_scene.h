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

namespace fdlab {

/// What the scene is made from; the fields of [scene] in lesson.toml, and the controls of the window.
struct GpuSceneSpec {
  std::string gpu = "h200", kernel = "one-kernel";
  std::int64_t batch = 1, kv_heads = 8;
  std::int64_t group = 1;  ///< query heads that share a KV head
  std::int64_t kv_len = 32768, head_dim = 128;
  bool is_ragged = false;              ///< sequences differ in length; the longest has kv_len keys
  std::optional<std::int64_t> splits;  ///< of B; nothing: what our rule takes
  std::int64_t a_splits = 1;
  std::optional<std::int64_t> a_batch;  ///< sequences of A; nothing: as many as B

  friend bool operator==(const GpuSceneSpec&, const GpuSceneSpec&) = default;
};

/// Bounds of the controls; blocks of one launch stay within kMostShownBlocks.
inline constexpr std::int64_t kMostBatch = 256, kMostKvHeads = 64, kMostGroup = 16, kMostShownSplits = 132;
inline constexpr std::int64_t kLeastKvLen = 256, kMostKvLen = 1 << 20;
inline constexpr std::int64_t kMostShownBlocks = 16384;

/// The nearest scene that can be simulated and shown.
GpuSceneSpec clamped(GpuSceneSpec spec);

DecodeShape shape_of(const GpuSceneSpec& spec);

/// One of the two launches.
struct GpuGrid {
  Schedule schedule;
  std::optional<MeasuredLaunch> measured;
  std::vector<TurningPoint> turning_points;

  std::int64_t blocks() const { return static_cast<std::int64_t>(schedule.split.blocks.size()); }
  std::int64_t used_sms() const;   ///< that get at least one block
  double mean_gb_s() const;        ///< bytes over the split kernel's span
  double block_gb_s() const;       ///< of one block while it is there, mean over the blocks
  double predicted_us() const;     ///< what `measured` is compared with: whole call or span
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

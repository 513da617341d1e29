// The names an expression may use where the scene is a GPU (lessons/FORMAT.md lists them), read off its two launches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lessons/gpu_scene.h"
#include "lessons/path_walk.h"

namespace fdlab {
namespace {

constexpr double kBytesPerMegabyte = 1e6;

/// A field of a launch. What follows from the counts alone may be named from the start, what it takes only from its end.
struct GridField {
  std::string_view name;
  bool is_known_at_start;
  ExpressionValue (*value)(const GpuGrid& grid);
};

ExpressionValue us(double time_us) { return measure_value(time_us, Quantity::none, "µs"); }
ExpressionValue gb_s(double rate) { return measure_value(rate, Quantity::none, "GB/s"); }

constexpr std::array kGridFields{
    GridField{"splits", true, [](const GpuGrid& g) { return count_value(g.schedule.num_splits); }},
    GridField{"blocks", true, [](const GpuGrid& g) { return count_value(g.blocks()); }},
    GridField{"slots", true,
              [](const GpuGrid& g) { return count_value(g.schedule.sms * g.schedule.split.blocks_per_sm); }},
    GridField{"blocks_per_sm", true,
              [](const GpuGrid& g) { return count_value(g.schedule.split.blocks_per_sm); }},
    GridField{"waves", true, [](const GpuGrid& g) { return count_value(g.schedule.waves); }},
    GridField{"slot_efficiency", true,
              [](const GpuGrid& g) { return measure_value(g.schedule.slot_efficiency); }},
    GridField{"last_wave_filled", true,
              [](const GpuGrid& g) { return measure_value(g.schedule.ratios.last_wave_filled); }},
    GridField{"used_sms", true, [](const GpuGrid& g) { return count_value(g.used_sms()); }},
    GridField{"time_us", false, [](const GpuGrid& g) { return us(g.schedule.time_us); }},
    GridField{"predicted_us", false, [](const GpuGrid& g) { return us(g.predicted_us()); }},
    GridField{"span_us", false, [](const GpuGrid& g) { return us(g.schedule.split_kernel_us()); }},
    GridField{"merge_us", false, [](const GpuGrid& g) { return us(g.schedule.merge_us); }},
    GridField{"tail_us", false, [](const GpuGrid& g) { return us(g.schedule.split.tail_us); }},
    GridField{"gb_s", false, [](const GpuGrid& g) { return gb_s(g.mean_gb_s()); }},
    GridField{"block_gb_s", false, [](const GpuGrid& g) { return gb_s(g.block_gb_s()); }},
    GridField{"kernel_running", false,
              [](const GpuGrid& g) { return measure_value(g.schedule.ratios.kernel_running); }},
    GridField{"sms_with_work", false,
              [](const GpuGrid& g) { return measure_value(g.schedule.ratios.sms_with_work); }},
    GridField{"occupancy", false,
              [](const GpuGrid& g) { return measure_value(g.schedule.ratios.occupancy); }},
    GridField{"time_efficiency", false,
              [](const GpuGrid& g) { return measure_value(g.schedule.time_efficiency); }},
};

struct MomentField {
  std::string_view name;
  ExpressionValue (*value)(const LaunchMoment& moment);
};
constexpr std::array kMomentFields{
    MomentField{"busy_sms", [](const LaunchMoment& m) { return count_value(m.busy_sms); }},
    MomentField{"blocks", [](const LaunchMoment& m) { return count_value(m.resident_blocks); }},
    MomentField{"finished", [](const LaunchMoment& m) { return count_value(m.finished_blocks); }},
    MomentField{"gb_s", [](const LaunchMoment& m) { return gb_s(m.gb_s); }},
};

struct SceneField {
  std::string_view name;
  ExpressionValue (*value)(const GpuScene& scene);
};
constexpr std::array kSceneFields{
    SceneField{"sms", [](const GpuScene& s) { return count_value(s.gpu.sms); }},
    SceneField{"batch", [](const GpuScene& s) { return count_value(s.spec.batch); }},
    SceneField{"kv_heads", [](const GpuScene& s) { return count_value(s.spec.kv_heads); }},
    SceneField{"q_heads", [](const GpuScene& s) { return count_value(s.spec.kv_heads * s.spec.group); }},
    SceneField{"group", [](const GpuScene& s) { return count_value(s.spec.group); }},
    SceneField{"kv_len", [](const GpuScene& s) { return count_value(s.spec.kv_len, "keys"); }},
    SceneField{"head_dim", [](const GpuScene& s) { return count_value(s.spec.head_dim); }},
    SceneField{"tile_size", [](const GpuScene& s) { return count_value(s.kernel.tile_size, "keys"); }},
    SceneField{"num_tiles", [](const GpuScene& s) { return count_value(s.question.blocks); }},
    SceneField{"kv_mb",
               [](const GpuScene& s) {
                 return measure_value(static_cast<double>(s.b.schedule.shape.kv_bytes()) / kBytesPerMegabyte,
                                      Quantity::none, "MB");
               }},
    SceneField{"ceiling_gb_s", [](const GpuScene& s) { return gb_s(s.b.schedule.ceiling_gb_s); }},
    SceneField{"floor_us",
               [](const GpuScene& s) {
                 const Schedule& b = s.b.schedule;
                 return us(static_cast<double>(b.shape.kv_bytes()) / (b.ceiling_gb_s * 1e3));
               }},
    SceneField{"num_steps", [](const GpuScene& s) { return count_value(s.clock.last_step); }},
    SceneField{"start", [](const GpuScene&) { return count_value(0); }},
    SceneField{"end", [](const GpuScene& s) { return count_value(s.clock.last_step); }},
};

constexpr std::array<std::string_view, 5> kRules{"ours", "flash_attention_2", "flash_attention_3",
                                                 "flash_attention_4", "flashinfer"};

template <class Fields>
std::string names_of(const Fields& fields) {
  std::string names;
  for (const auto& field : fields) names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

class GpuResolver : private PathWalk {
 public:
  GpuResolver(const std::vector<PathSegment>& path, const ExpressionScope& scope)
      : PathWalk(path), scope_(scope), scene_(*scope.gpu) {}

  ExpressionValue resolve() { return finished(root(take())); }

 private:
  const PathSegment& field_of(const PathSegment& owner) {
    if (!at_end()) return plain(take());
    throw ExpressionError{owner.position,
                          fmt::format("expected a field after \"{}\", found the end", owner.name)};
  }
  ExpressionValue root(const PathSegment& segment) {
    const std::string_view name = segment.name;
    if (name == "with_splits") return sweep(segment);
    plain(segment);
    if (name == "a" || name == "b") return grid(name == "b");
    if (name == "end_of_a" || name == "end_of_b") return count_value(end_of(name == "end_of_b"));
    if (name == "now") return now(segment);
    if (name == "rule") return rule(field_of(segment));
    for (const SceneField& field : kSceneFields)
      if (field.name == name) return field.value(scene_);
    fail(segment,
         "a name (a, b, now, with_splits, rule, end_of_a, end_of_b, " + names_of(kSceneFields) + ")");
  }

  std::int64_t end_of(bool is_b) const { return scene_.clock.step_at(scene_.grid(is_b).schedule.time_us); }

  ExpressionValue grid(bool is_b) {
    const GpuGrid& grid = scene_.grid(is_b);
    ExpressionValue value;
    if (!at_end()) value = grid_field(take(), grid, end_of(is_b));
    value.referent = {Referent::Kind::grid, is_b ? 1 : 0, -1};
    return value;
  }
  ExpressionValue grid_field(const PathSegment& segment, const GpuGrid& grid, std::int64_t end) const {
    plain(segment);
    if (segment.name == "measured_us" || segment.name == "measured_on") return measured(segment, grid, end);
    for (const GridField& field : kGridFields)
      if (field.name == segment.name) {
        ExpressionValue value = field.value(grid);
        value.known_at = field.is_known_at_start ? 0 : end;
        return value;
      }
    fail(segment, "of a launch one of " + names_of(kGridFields) + ", measured_us, measured_on");
  }
  static ExpressionValue measured(const PathSegment& segment, const GpuGrid& grid, std::int64_t end) {
    if (!grid.measured) fail(segment, "a launch that was measured");
    ExpressionValue value;
    if (segment.name == "measured_us") value = us(grid.measured->time_us);
    else
      value.word = {grid.measured->device + ", " + grid.measured->date,
                    grid.measured->device + "，" + grid.measured->date};
    value.known_at = end;
    return value;
  }

  ExpressionValue now(const PathSegment& segment) {
    const PathSegment& what = field_of(segment);
    const double call_us = scene_.clock.time_us(scope_.step);
    if (what.name == "time_us") return us(call_us);
    if (what.name != "a" && what.name != "b") fail(what, "of now one of time_us, a, b");
    const PathSegment& name = field_of(what);
    const bool is_b = what.name == "b";
    for (const MomentField& field : kMomentFields)
      if (field.name == name.name) {
        ExpressionValue value = field.value(moment_of(scene_.grid(is_b).schedule, call_us));
        value.referent = {Referent::Kind::grid, is_b ? 1 : 0, -1};
        return value;
      }
    fail(name, "at a moment one of " + names_of(kMomentFields));
  }

  ExpressionValue rule(const PathSegment& segment) const {
    for (std::size_t i = 0; i < kRules.size(); ++i)
      if (kRules[i] == segment.name) return count_value(scene_.rules[i].splits);
    fail(segment, fmt::format("of the rules one of {}", fmt::join(kRules, ", ")));
  }

  /// Another split count for B: its counts may be named from the start, its time when B is done.
  ExpressionValue sweep(const PathSegment& segment) {
    const auto size = static_cast<std::int64_t>(scene_.sweep.size());
    if (!segment.index || *segment.index < 1 || *segment.index > size)
      throw ExpressionError{segment.position,
                            fmt::format("expected with_splits[1] to with_splits[{}]", size)};
    const SweepPoint& point = scene_.sweep[static_cast<std::size_t>(*segment.index - 1)];
    ExpressionValue value;
    if (!at_end()) value = sweep_field(plain(take()), point);
    value.referent = {Referent::Kind::sweep, *segment.index, -1};
    return value;
  }
  ExpressionValue sweep_field(const PathSegment& segment, const SweepPoint& point) const {
    const std::string_view name = segment.name;
    if (name == "blocks") return count_value(point.candidate.blocks);
    if (name == "waves") return count_value(point.candidate.waves);
    if (name == "tiles") return count_value(point.candidate.blocks_per_split);
    if (name == "longest_sm") return count_value(point.candidate.longest_sm);
    if (name == "slots_filled") return measure_value(point.candidate.efficiency);
    if (name != "time_us" && name != "measured_us")
      fail(segment,
           "of a split count one of blocks, waves, tiles, longest_sm, slots_filled, time_us, measured_us");
    if (name == "measured_us" && !point.measured_us) fail(segment, "a split count that was measured");
    ExpressionValue value = us(name == "time_us" ? point.time_us : *point.measured_us);
    value.known_at = end_of(true);
    return value;
  }

  const ExpressionScope& scope_;
  const GpuScene& scene_;
};

}  // namespace

ExpressionValue resolve_gpu_path(const std::vector<PathSegment>& path, const ExpressionScope& scope) {
  return GpuResolver(path, scope).resolve();
}

}  // namespace fdlab

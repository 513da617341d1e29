// A lesson's scene carried out, whatever its kind: the trace of one head, or what a GPU does at each stop.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "lessons/gpu_scene.h"
#include "lessons/scene.h"

namespace fdlab {

/// What a GPU does in the lesson's scene, and at the stops that show another one.
struct GpuScenes {
  std::vector<Recording> recordings;
  GpuScene first;                           ///< of [scene]
  std::map<std::string, GpuScene> of_stop;  ///< by id, where it differs

  const GpuScene& at(const Stop& stop) const;
};

class LessonScene {
 public:
  explicit LessonScene(TracedScene traced) : made_(std::move(traced)) {}
  explicit LessonScene(GpuScenes gpu) : made_(std::move(gpu)) {}

  /// One of the two; the other is null.
  const TracedScene* traced() const { return std::get_if<TracedScene>(&made_); }
  const GpuScenes* gpu() const { return std::get_if<GpuScenes>(&made_); }

  /// What expressions are evaluated against: of the lesson as it opens, and of a stop.
  ExpressionScope scope(std::int64_t step) const;
  ExpressionScope scope(const Stop& stop, std::int64_t step) const;

 private:
  std::variant<TracedScene, GpuScenes> made_;
};

/// `lessons_folder`: with data and recordings. q_head: instead of the lesson's own, where it has one.
Result<LessonScene> make_scene(const Lesson& lesson, const std::filesystem::path& lessons_folder,
                               std::optional<std::int64_t> q_head = {});

}  // namespace fdlab

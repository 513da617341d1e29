#include "lessons/lesson_scene.h"

namespace fdlab {
namespace {

Result<GpuScenes> make_gpu_scenes(const Lesson& lesson, const std::filesystem::path& recordings_folder) {
  auto recordings = read_recordings(recordings_folder.string());
  if (!recordings) return recordings.fault();
  const GpuSceneSpec& spec = std::get<GpuSceneSpec>(lesson.scene);
  auto first = make_gpu_scene(spec, *recordings);
  if (!first) return first.fault();
  GpuScenes scenes{std::move(*recordings), std::move(*first), {}};
  for (const Stop& stop : lesson.stops) {
    if (stop.gpu == spec) continue;
    auto scene = make_gpu_scene(stop.gpu, scenes.recordings);
    if (!scene) return scene.fault();
    scenes.of_stop.emplace(stop.id, std::move(*scene));
  }
  return scenes;
}

}  // namespace

const GpuScene& GpuScenes::at(const Stop& stop) const {
  const auto own = of_stop.find(stop.id);
  return own == of_stop.end() ? first : own->second;
}

ExpressionScope LessonScene::scope(std::int64_t step) const {
  if (const GpuScenes* scenes = gpu()) return {scenes->first, step};
  return traced()->scope(step);
}

ExpressionScope LessonScene::scope(const Stop& stop, std::int64_t step) const {
  if (const GpuScenes* scenes = gpu()) return {scenes->at(stop), step};
  return traced()->scope(step);
}

Result<LessonScene> make_scene(const Lesson& lesson, const std::filesystem::path& lessons_folder,
                               std::optional<std::int64_t> q_head) {
  if (std::holds_alternative<GpuSceneSpec>(lesson.scene)) {
    auto scenes = make_gpu_scenes(lesson, lessons_folder / "recordings");
    if (!scenes) return scenes.fault();
    return LessonScene(std::move(*scenes));
  }
  SceneSpec spec = std::get<SceneSpec>(lesson.scene);
  if (q_head) spec.q_head = *q_head;
  auto traced = trace_scene(spec, lessons_folder / "data");
  if (!traced) return traced.fault();
  return LessonScene(std::move(*traced));
}

}  // namespace fdlab

// What there is to see: the open lesson and its scene carried out, a trace of the present head or a GPU at the present stop.
#pragma once

#include <optional>

#include "lessons/lesson.h"
#include "lessons/lesson_scene.h"

namespace fdlab {

struct Scene {
  Lesson lesson;
  LessonScene made;
  std::size_t stop = 0;             ///< the present one
  std::optional<GpuScene> own_gpu;  ///< what the controls ask for, where it is not the stop's
  bool has_next_lesson = false;     ///< another one comes after it

  bool is_gpu() const { return made.gpu() != nullptr; }
  const TracedScene& traced() const { return *made.traced(); }
  const Trace& trace() const { return traced().trace; }
  const GpuScene& gpu() const { return own_gpu ? *own_gpu : made.gpu()->at(lesson.stops[stop]); }

  /// What the lesson's text is bound to, at a step; what the controls ask for does not change it.
  ExpressionScope scope(std::int64_t step) const { return made.scope(lesson.stops[stop], step); }
};

}  // namespace fdlab

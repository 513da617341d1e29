// What there is to see: the open lesson and the trace of the present head.
#pragma once

#include "lessons/lesson.h"
#include "lessons/scene.h"

namespace fdlab {

struct Scene {
  Lesson lesson;
  TracedScene traced;

  const Trace& trace() const { return traced.trace; }
  /// What expressions are evaluated against at a step.
  ExpressionScope scope(std::int64_t step) const { return traced.scope(step); }
};

}  // namespace fdlab

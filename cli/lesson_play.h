// A lesson walked through in the terminal.
#pragma once

#include <cstdio>

#include "core/io/result.h"
#include "lessons/lesson.h"
#include "lessons/lesson_scene.h"

namespace fdlab::cli {

struct PlayOptions {
  Language language = Language::en;
  std::int64_t columns = 80;
  bool is_interactive = false;  ///< ask, wait for Enter between stops; otherwise print everything
};

/// Prints every stop with its numbers; `q` leaves. The fault of the first number that cannot be evaluated.
std::optional<Fault> play_lesson(const Lesson& lesson, const LessonScene& scene, const PlayOptions& options);

}  // namespace fdlab::cli

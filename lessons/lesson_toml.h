// The structure of a lesson: lesson.toml. Its words come from en.md and zh.md.
#pragma once

#include <string>
#include <string_view>

#include "core/io/result.h"
#include "lessons/lesson.h"

namespace fdlab {

/// name: what faults call the file.
Result<Lesson> parse_lesson_toml(std::string_view text, const std::string& name);

}  // namespace fdlab

// Lints a lesson: what a reader would stumble over is found here first.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lessons/lesson.h"

namespace fdlab {

struct Finding {
  std::string rule;      ///< short and stable: "unbound-number"
  std::string sentence;  ///< where and what
};

/// All findings on one lesson folder; a lesson that cannot be loaded is one finding. lessons_folder: with data and recordings.
std::vector<Finding> check_lesson(const std::filesystem::path& lesson_folder,
                                  const std::filesystem::path& lessons_folder);

}  // namespace fdlab

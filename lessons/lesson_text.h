// The words of a lesson in one language, en.md or zh.md, cut into its parts:
//   # Title of the lesson
//   ## stop-id | Title of the stop
//   prose
//   ### part-id | name
//   a part of the stop's gate: ask, right, other, or the id of a wrong rule
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

struct TextPart {
  std::string id, name, markdown;
};

struct TextSection {
  std::string id, title, markdown;
  std::vector<TextPart> parts;
};

struct LessonText {
  std::string title;
  std::vector<TextSection> sections;
};

/// name: what faults call the file.
Result<LessonText> parse_lesson_text(std::string_view text, const std::string& name);

}  // namespace fdlab

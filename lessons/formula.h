// Formulas: the files that hold them as print, and their form in plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

namespace fdlab {

struct FormulaSource {
  std::string tex;
  bool is_display = false;
  auto operator<=>(const FormulaSource&) const = default;
};

/// Every formula of the lesson, each once, sorted.
std::vector<FormulaSource> formulas_of(const Lesson& lesson);

/// The file under formulas/ that holds it: 16 hex digits (FNV-1a of "d:" or "i:" and the TeX) and ".svg".
std::string svg_name(const FormulaSource& formula);

/// Ids of the terms (\m{a} gives "m-a", \S{} gives "S", \cssId{x}{…} gives "x"), each once.
std::vector<std::string> term_ids(std::string_view tex);

/// For a terminal: "l = e^(mₐ−m) lₐ + …" in one line of Unicode.
std::string formula_text(std::string_view tex);

}  // namespace fdlab

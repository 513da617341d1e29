// Formulas: the files that hold them as print, the terms in them, and their form in plain text.
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
/// Every formula of one text, in order.
std::vector<FormulaSource> formulas_in(std::string_view markdown);

/// The file under formulas/ that holds it: 16 hex digits (FNV-1a, 64 bits, of "d:" or "i:" and the TeX) and ".svg".
std::string svg_name(const FormulaSource& formula);

/// Terms in order of their first use: \m{a} is "m-a", \S{} is "S", \cssId{x}{…} is "x". In the SVG the second
/// element of the same term has the id "m-a--2", the third "m-a--3".
std::vector<std::string> terms_in(std::string_view tex);
/// The term of an element's id: "m-a--2" → "m-a".
std::string_view term_of_id(std::string_view id);

/// One line for a terminal: l = e^(m_a − m) l_a + e^(m_b − m) l_b. A command it does not know stays as it is, with
/// its backslash; `fdlab lesson check` finds those.
std::string formula_text(std::string_view tex);

}  // namespace fdlab

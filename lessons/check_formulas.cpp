// Formulas are rendered when a lesson is written; here it is found out whether that was forgotten.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lessons/check_rules.h"
#include "lessons/formula.h"
#include "lessons/text_file.h"

namespace fdlab {
namespace {

constexpr const char* kRemedy = "render the formulas again (lessons/FORMAT.md)";

/// What must not be in a rendered formula.
const char* fault_in_svg(const std::string& svg) {
  if (svg.find("<svg") == std::string::npos) return "is no SVG";
  if (svg.find("data-mml-node=\"merror\"") != std::string::npos) return "shows a TeX error";
  if (svg.find("<text") != std::string::npos) return "holds text that depends on the fonts of the machine";
  const std::size_t root_end = svg.find('>', svg.find("<svg"));
  const std::string_view root = std::string_view(svg).substr(0, root_end);
  if (root.find(" width=") != std::string_view::npos || root.find(" height=") != std::string_view::npos)
    return "has a width or height at its root";
  return nullptr;
}

void check_formula(const FormulaSource& formula, const nlohmann::json& index,
                   const std::filesystem::path& folder, Findings& findings) {
  const std::string name = svg_name(formula);
  const std::string where = fmt::format("formula ${}$", formula.tex);
  const bool is_listed = std::any_of(index.begin(), index.end(), [&](const nlohmann::json& entry) {
    return entry == nlohmann::json{{"tex", formula.tex}, {"display", formula.is_display}, {"file", name}};
  });
  if (!is_listed)
    return findings.add("formula", where, fmt::format("formulas/index.json has no {}; {}", name, kRemedy));
  const Result<std::string> svg = read_text_file(folder / name);
  if (!svg) return findings.add("formula", where, svg.fault().sentence);
  if (const char* fault = fault_in_svg(*svg))
    findings.add("formula", where, fmt::format("formulas/{} {}; {}", name, fault, kRemedy));
  for (const std::string& term : terms_in(formula.tex))
    if (svg->find(fmt::format("id=\"{}\"", term)) == std::string::npos)
      findings.add("formula", where,
                   fmt::format("formulas/{} lacks the term \"{}\"; {}", name, term, kRemedy));
  if (formula_text(formula.tex).find('\\') != std::string::npos)
    findings.add("formula-text", where,
                 fmt::format("a command without a plain form: {}", formula_text(formula.tex)));
}

/// Files that no formula of the lesson needs any more.
void check_left_over(const std::vector<FormulaSource>& formulas, const std::filesystem::path& folder,
                     Findings& findings) {
  std::set<std::string> needed{"index.json"};
  for (const FormulaSource& formula : formulas) needed.insert(svg_name(formula));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (!needed.contains(entry.path().filename().string()))
      findings.add("formula", "formulas/" + entry.path().filename().string(),
                   fmt::format("no formula needs it; {}", kRemedy));
}

}  // namespace

void check_formulas(const Lesson& lesson, Findings& findings) {
  const std::vector<FormulaSource> formulas = formulas_of(lesson);
  const std::filesystem::path folder = lesson.folder / "formulas";
  check_left_over(formulas, folder, findings);
  if (formulas.empty()) return;
  const Result<std::string> text = read_text_file(folder / "index.json");
  if (!text) return findings.add("formula", "formulas", text.fault().sentence);
  const nlohmann::json index = nlohmann::json::parse(*text, nullptr, false);
  const bool is_index = index.is_object() && index.contains("format") &&
                        index["format"] == "fdlab-formulas" && index.contains("version") &&
                        index["version"] == 1 && index.contains("formulas") && index["formulas"].is_array();
  if (!is_index)
    return findings.add("formula", "formulas/index.json",
                        "expected format \"fdlab-formulas\", version 1, and a list of formulas");
  for (const FormulaSource& formula : formulas) check_formula(formula, index["formulas"], folder, findings);
}

}  // namespace fdlab

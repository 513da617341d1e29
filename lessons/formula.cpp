#include "lessons/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lessons/prose.h"

namespace fdlab {
namespace {

constexpr std::string_view kTermLetters = "mlowS";

void add_formulas(std::vector<FormulaSource>& formulas, std::string_view markdown) {
  const std::vector<FormulaSource> found = formulas_in(markdown);
  formulas.insert(formulas.end(), found.begin(), found.end());
}

void add_formulas(std::vector<FormulaSource>& formulas, const Gate& gate, Language language) {
  for (const Bilingual* text : {&gate.ask, &gate.right, &gate.other})
    add_formulas(formulas, (*text)[language]);
  for (const WrongRule& rule : gate.rules) add_formulas(formulas, rule.reply[language]);
}

/// What stands between the braces that open at `open`, or nothing if they never close.
std::optional<std::string_view> braced(std::string_view tex, std::size_t open) {
  if (open >= tex.size() || tex[open] != '{') return std::nullopt;
  const std::size_t close = tex.find('}', open);
  if (close == std::string_view::npos) return std::nullopt;
  return tex.substr(open + 1, close - open - 1);
}

/// The term that starts at this backslash, empty if none does.
std::string term_at(std::string_view tex, std::size_t backslash) {
  constexpr std::string_view kCssId = "\\cssId";
  const std::string_view rest = tex.substr(backslash);
  if (rest.starts_with(kCssId)) return std::string(braced(rest, kCssId.size()).value_or(""));
  if (rest.size() < 3 || kTermLetters.find(rest[1]) == std::string_view::npos) return {};
  const auto name = braced(rest, 2);
  if (!name) return {};
  return name->empty() ? std::string(1, rest[1]) : fmt::format("{}-{}", rest[1], *name);
}

}  // namespace

std::vector<FormulaSource> formulas_in(std::string_view markdown) {
  std::vector<FormulaSource> formulas;
  for (const ProseBlock& block : parse_prose(markdown).blocks)
    for (const ProseRun& run : block.runs)
      if (run.kind == ProseRun::Kind::formula)
        formulas.push_back({run.text, block.kind == ProseBlock::Kind::formula});
  return formulas;
}

std::vector<FormulaSource> formulas_of(const Lesson& lesson) {
  std::vector<FormulaSource> formulas;
  for (const Stop& stop : lesson.stops)
    for (const Language language : kLanguages) {
      add_formulas(formulas, stop.prose[language]);
      if (stop.gate) add_formulas(formulas, *stop.gate, language);
    }
  std::sort(formulas.begin(), formulas.end());
  formulas.erase(std::unique(formulas.begin(), formulas.end()), formulas.end());
  return formulas;
}

std::string svg_name(const FormulaSource& formula) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : (formula.is_display ? "d:" : "i:") + formula.tex)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}.svg", hash);
}

std::vector<std::string> terms_in(std::string_view tex) {
  std::vector<std::string> terms;
  for (std::size_t at = tex.find('\\'); at != std::string_view::npos; at = tex.find('\\', at + 1)) {
    std::string term = term_at(tex, at);
    if (!term.empty() && std::find(terms.begin(), terms.end(), term) == terms.end())
      terms.push_back(std::move(term));
  }
  return terms;
}

std::string_view term_of_id(std::string_view id) { return id.substr(0, id.find("--")); }

}  // namespace fdlab

// What can be wrong with words alone.
#include <fmt/format.h>

#include <array>

#include "lessons/check_rules.h"
#include "lessons/plain_text.h"
#include "lessons/unicode.h"

namespace fdlab {
namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

// Length, in words (English) or hanzi and Latin words (Chinese).

struct Limit {
  LessonWords::Kind kind;
  std::size_t words, characters;
};
constexpr std::array kLimits{Limit{LessonWords::Kind::title, 8, 14},
                             Limit{LessonWords::Kind::prose, 110, 190},
                             Limit{LessonWords::Kind::question, 30, 40},
                             Limit{LessonWords::Kind::reply, 60, 100}, Limit{LessonWords::Kind::name, 6, 12}};

std::size_t count_words(const std::string& text) {
  std::size_t words = 0;
  char32_t before = U' ';
  for (const char32_t c : code_points(text)) {
    const bool starts_word = c != U' ' && !is_hanzi(c) && !is_full_width_punctuation(c) &&
                             (before == U' ' || is_hanzi(before) || is_full_width_punctuation(before));
    words += is_hanzi(c) || starts_word;
    before = c;
  }
  return words;
}

void check_length(const LessonWords& words, const std::vector<PlainBlock>& blocks, Findings& findings) {
  std::size_t count = 0;
  for (const PlainBlock& block : blocks)
    if (block.kind != ProseBlock::Kind::formula) count += count_words(block.text);
  for (const Limit& limit : kLimits) {
    const std::size_t most = words.language == Language::en ? limit.words : limit.characters;
    if (limit.kind == words.kind && count > most)
      findings.add("length", words.where,
                   fmt::format("expected at most {} {}, found {}", most,
                               words.language == Language::en ? "words" : "hanzi and words", count));
  }
  if (count == 0) findings.add("empty", words.where, "expected words, found none");
}

// Markdown that reads otherwise than its author meant

/// Letters in a row that no command and no \mathrm{…} explains: a sentence taken for a formula, as in "$5 and $10".
bool holds_a_sentence(std::string_view tex) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < tex.size(); ++at) {
    if (tex[at] == '\\') {
      const bool names_text =
          tex.substr(at).starts_with("\\mathrm{") || tex.substr(at).starts_with("\\begin{") ||
          tex.substr(at).starts_with("\\end{") || tex.substr(at).starts_with("\\cssId{") ||
          tex.substr(at).starts_with("\\operatorname{");
      at = names_text ? std::min(tex.find('}', at), tex.size()) : at + 1;
      while (!names_text && at < tex.size() && is_letter(static_cast<unsigned char>(tex[at]))) ++at;
      if (!names_text) --at;
      letters = 0;
      continue;
    }
    letters = is_letter(static_cast<unsigned char>(tex[at])) ? letters + 1 : 0;
    if (letters >= 3) return true;
  }
  return false;
}

bool holds_hanzi(std::string_view text) {
  for (const char32_t c : code_points(text))
    if (is_hanzi(c) || is_full_width_punctuation(c)) return true;
  return false;
}

void check_formula_run(const ProseRun& run, const LessonWords& words, Findings& findings) {
  if (holds_hanzi(run.text) || holds_a_sentence(run.text))
    findings.add(
        "dollar", words.where,
        fmt::format("\"${}$\" looks like prose taken for a formula; write \\$ for a dollar", run.text));
}

void check_text_run(const ProseRun& run, const LessonWords& words, Findings& findings) {
  if (run.text.find("**") != std::string::npos)
    findings.add("bold", words.where,
                 fmt::format("\"**\" in \"{}\" is not read as bold; move punctuation out of it", run.text));
  if (run.text.find('$') != std::string::npos)
    findings.add("dollar", words.where, fmt::format("a lone dollar in \"{}\"", run.text));
  char32_t before = U' ';
  for (const char32_t c : code_points(run.text)) {
    if (is_digit(c) && !is_letter(before) && !is_digit(before))
      findings.add("unbound-number", words.where, fmt::format("a typed number in \"{}\"; bind it", run.text));
    before = c;
  }
}

void check_markdown(const LessonWords& words, Findings& findings) {
  const Prose prose = parse_prose(words.markdown);
  for (const std::string& fault : prose.faults)
    findings.add("markdown", words.where, "expected none of this: " + fault);
  for (const ProseBlock& block : prose.blocks)
    for (const ProseRun& run : block.runs) {
      if (run.kind == ProseRun::Kind::formula) check_formula_run(run, words, findings);
      if (run.kind == ProseRun::Kind::text) check_text_run(run, words, findings);
    }
}

}  // namespace

void check_words(const Lesson& lesson, const LessonScene& scene, Findings& findings) {
  for (const LessonWords& words : words_of(lesson)) {
    check_markdown(words, findings);
    const Expression* place = words.stop ? &words.stop->step : nullptr;
    if (words.is_at_reveal) place = &words.stop->gate->reveal;
    const auto scope = [&](std::int64_t at) {
      return words.stop ? scene.scope(*words.stop, at) : scene.scope(at);
    };
    const Result<std::int64_t> step = place ? step_of(*place, scope(0)) : Result<std::int64_t>(0);
    if (!step) continue;  // found by check_numbers
    const auto blocks = plain_text(words.markdown, scope(*step), words.language);
    if (!blocks) continue;  // likewise
    check_length(words, *blocks, findings);
    for (const PlainBlock& block : *blocks) {
      if (block.kind == ProseBlock::Kind::formula || block.kind == ProseBlock::Kind::code) continue;
      check_typography(block.text, words.language, words.where, findings);
      check_glossary(block.text, words.language, words.where, findings);
    }
    if ((words.kind == LessonWords::Kind::title || words.kind == LessonWords::Kind::name) &&
        (words.markdown.ends_with(".") || words.markdown.ends_with("。")))
      findings.add("full-stop", words.where, "expected a label without a full stop");
  }
}

}  // namespace fdlab

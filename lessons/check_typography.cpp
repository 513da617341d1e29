// Chinese and English typesetting, and the glossary.
#include <fmt/format.h>

#include <array>

#include "lessons/check_rules.h"
#include "lessons/unicode.h"

namespace fdlab {
namespace {

constexpr std::u32string_view kHalfWidth = U",;:?!()";
constexpr std::u32string_view kClosing = U"，。：；？！、）”’》〉」』%";
constexpr std::u32string_view kOpening = U"（“‘《〈「『";

bool is_latin(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') || c == U'−' ||
         c == U'√';
}
bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != std::u32string_view::npos; }

/// What is wrong between two neighbours in Chinese text, or nullptr.
const char* fault_between(char32_t a, char32_t b) {
  if ((is_hanzi(a) && is_latin(b)) || (is_latin(a) && is_hanzi(b)))
    return "expected a blank between hanzi and Latin letters or digits";
  if ((a == U' ' && is_full_width_punctuation(b)) || (is_full_width_punctuation(a) && b == U' '))
    return "expected no blank beside full-width punctuation";
  if (a == U' ' && b == U'%') return "expected no blank before % in Chinese";
  if ((is_hanzi(a) && is_in(kHalfWidth, b)) || (is_in(kHalfWidth, a) && is_hanzi(b)))
    return "expected full-width punctuation beside hanzi";
  const bool is_quoted_quote = (a == U'“' && b == U'"') || (a == U'"' && b == U'”');  // a token
  if ((a == U'"' || b == U'"') && !is_quoted_quote) return "expected “ ” as quotes";
  return nullptr;
}

std::string excerpt(const std::string& text, std::size_t code_point) {
  std::string_view rest = text;
  for (std::size_t i = 0; i + 6 < code_point; ++i) rest.remove_prefix(first_code_point(rest).bytes);
  std::size_t bytes = 0;
  for (int i = 0; i < 12 && bytes < rest.size(); ++i) bytes += first_code_point(rest.substr(bytes)).bytes;
  return std::string(rest.substr(0, bytes));
}

void check_chinese(const std::string& text, const std::string& where, Findings& findings) {
  const std::u32string points = code_points(text);
  if (points.empty()) return;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (const char* fault = fault_between(points[i], points[i + 1]))
      findings.add("typography", where, fmt::format("{}, found \"{}\"", fault, excerpt(text, i)));
    const bool is_gap =
        i + 2 < points.size() && is_hanzi(points[i]) && points[i + 1] == U' ' && is_hanzi(points[i + 2]);
    if (is_gap)
      findings.add("typography", where,
                   fmt::format("expected no blank between hanzi, found \"{}\"", excerpt(text, i)));
  }
  if (is_in(kClosing, points.front()) || is_in(kOpening, points.back()))
    findings.add(
        "typography", where,
        fmt::format("\"{}\" starts with closing or ends with opening punctuation", excerpt(text, 0)));
  if (is_in(points, U'！')) findings.add("wording", where, "expected no exclamation mark");
}

void check_english(const std::string& text, const std::string& where, Findings& findings) {
  const std::u32string points = code_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_hanzi(points[i]) || (is_full_width_punctuation(points[i])))
      findings.add("typography", where,
                   fmt::format("expected English with straight quotes, found \"{}\"", excerpt(text, i)));
    if (points[i] == U' ' && i + 1 < points.size() && points[i + 1] == U' ')
      findings.add("typography", where, fmt::format("two blanks in \"{}\"", excerpt(text, i)));
  }
}

struct Term {
  std::string_view avoid, use;
};
constexpr std::array kChineseTerms{
    Term{"令牌", "token"},       Term{"词元", "token"},        Term{"查询", "query"},
    Term{"瓦片", "tile"},        Term{"分块", "tile"},         Term{"切片", "split"},
    Term{"内核", "kernel"},      Term{"核函数", "kernel"},     Term{"重新缩放", "重缩放"},
    Term{"标准化", "归一化"},    Term{"规范化", "归一化"},     Term{"幺元", "单位元"},
    Term{"运算符", "合并算子"},  Term{"中间结果", "部分结果"}, Term{"预言机", "参考结果"},
    Term{"块大小", "tile 大小"},
};
constexpr std::array kEnglishTerms{
    Term{"normaliz", "normalis"},     Term{"chunk", "tile"},
    Term{"logsumexp", "log-sum-exp"}, Term{"neutral value", "neutral element"},
    Term{"ground truth", "oracle"},
};

}  // namespace

void check_typography(const std::string& text, Language language, const std::string& where,
                      Findings& findings) {
  if (language == Language::zh) check_chinese(text, where, findings);
  else check_english(text, where, findings);
}

void check_glossary(const std::string& text, Language language, const std::string& where,
                    Findings& findings) {
  const auto check = [&](const Term& term) {
    if (text.find(term.avoid) != std::string::npos)
      findings.add("glossary", where,
                   fmt::format("found \"{}\"; the glossary has \"{}\"", term.avoid, term.use));
  };
  if (language == Language::zh)
    for (const Term& term : kChineseTerms) check(term);
  else
    for (const Term& term : kEnglishTerms) check(term);
}

}  // namespace fdlab

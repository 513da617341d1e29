// TeX to one line of Unicode, for terminals: the commands our lessons use, by recursive descent.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "lessons/formula.h"

namespace fdlab {
namespace {

struct Symbol {
  std::string_view command, text;
};

constexpr int kMaxDepth = 40;

constexpr std::array kSymbols{
    Symbol{"oplus", " ⊕ "},   Symbol{"times", " × "}, Symbol{"cdot", "·"},     Symbol{"le", " ≤ "},
    Symbol{"ge", " ≥ "},      Symbol{"ne", " ≠ "},    Symbol{"approx", " ≈ "}, Symbol{"to", " → "},
    Symbol{"in", " ∈ "},      Symbol{"infty", "∞"},   Symbol{"sum", "Σ"},      Symbol{"max", "max"},
    Symbol{"min", "min"},     Symbol{"exp", "exp"},   Symbol{"top", "ᵀ"},      Symbol{"dots", "…"},
    Symbol{"lceil", "⌈"},     Symbol{"rceil", "⌉"},   Symbol{"vdots", "⋮"},    Symbol{"quad", "   "},
    Symbol{"qquad", "     "}, Symbol{"left", ""},     Symbol{"right", ""},     Symbol{"displaystyle", ""},
    Symbol{"lvert", "|"},     Symbol{"rvert", "|"},
};

/// Letters and digits: needs no brackets as an exponent, index or side of a fraction.
bool is_simple(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)); });
}
/// Single blanks; none at the ends, inside brackets, or before a slash.
std::string tidied(std::string_view text) {
  const auto hugs_left = [](char c) { return c == ' ' || c == '(' || c == '[' || c == '/'; };
  const auto hugs_right = [](char c) { return c == ')' || c == ']' || c == ';' || c == ',' || c == '/'; };
  std::string tidy;
  for (const char c : text) {
    if (c == ' ' && (tidy.empty() || hugs_left(tidy.back()))) continue;
    if (hugs_right(c) && !tidy.empty() && tidy.back() == ' ') tidy.pop_back();
    tidy += c;
  }
  if (!tidy.empty() && tidy.back() == ' ') tidy.pop_back();
  return tidy;
}

std::string in_brackets(std::string_view untidy) {
  const std::string text = tidied(untidy);
  return is_simple(text) ? text : fmt::format("({})", text);
}

class Converter {
 public:
  explicit Converter(std::string_view tex) : tex_(tex) {}

  std::string convert() {
    std::string text;
    while (at_ < tex_.size() && tex_[at_] != '}') text += tex_[at_] == '-' ? minus(text) : atom();
    return text;
  }

 private:
  /// A sign at the start and after a bracket, else an operator.
  std::string minus(const std::string& before) {
    ++at_;
    const std::size_t last = before.find_last_not_of(' ');
    return last == std::string::npos || before[last] == '(' ? "−" : " − ";
  }
  std::string atom() {
    if (depth_ > kMaxDepth) return {tex_[at_++]};
    ++depth_;
    std::string text = nested_atom();
    --depth_;
    return text;
  }
  std::string nested_atom() {
    const char c = tex_[at_++];
    switch (c) {
      case '\\': return command();
      case '{': return group_after_brace();
      case '^': return fmt::format("^{} ", in_brackets(argument()));
      case '_': return fmt::format("_{} ", in_brackets(argument()));
      case '-': return "−";
      case '+':
      case '=':
      case '<':
      case '>': return {' ', c, ' '};
      case ' ': return "";
      case ',': return ", ";
      case '&': return " ";
      default: return {c};
    }
  }
  std::string group_after_brace() {
    std::string inner = convert();
    if (at_ < tex_.size()) ++at_;
    return inner;
  }
  std::string argument() {
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    return at_ < tex_.size() ? atom() : "";
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[at_]))) ++at_;
    return std::string(tex_.substr(begin, at_ - begin));
  }
  std::string command() {
    const std::string command = name();
    if (command.empty()) return punctuation();
    if (command == "ln") return at_ < tex_.size() && tex_[at_] == '(' ? "ln" : "ln ";
    if (command == "frac") return fraction();
    if (command == "sqrt") return fmt::format("√{}", in_brackets(argument()));
    if (command == "mathbf" || command == "mathrm" || command == "operatorname") return argument();
    if (command == "begin") return begin_array();
    if (command == "end") return end_array();
    if (command == "cssId") return argument(), argument();
    if (command.size() == 1 && std::string_view("mlowS").find(command[0]) != std::string_view::npos)
      return term(command);
    for (const Symbol& symbol : kSymbols)
      if (symbol.command == command) return std::string(symbol.text);
    return "\\" + command;
  }
  /// \\ between rows, \, and its like as a blank, \{ as itself.
  std::string punctuation() {
    const char c = at_ < tex_.size() ? tex_[at_++] : ' ';
    if (c == '\\') return "; ";
    if (c == ',' || c == ';' || c == '!' || c == ' ') return " ";
    return {c};
  }
  std::string fraction() {
    const std::string above = argument();
    return fmt::format("{}/{} ", in_brackets(above), in_brackets(argument()));
  }
  std::string term(const std::string& letter) {
    const std::string index = argument();
    return index.empty() ? fmt::format(" {} ", letter) : fmt::format(" {}_{} ", letter, tidied(index));
  }
  std::string begin_array() {
    argument();
    return "[";
  }
  std::string end_array() {
    argument();
    return "]";
  }

  std::string_view tex_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string formula_text(std::string_view tex) { return tidied(Converter(tex).convert()); }

}  // namespace fdlab

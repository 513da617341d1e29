#include "viz/prose_lines.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "viz/utf8.h"

namespace fdlab {
namespace {

constexpr char32_t kWhole = 0x110000;  // stands for a formula, number or code

// Between two neighbours without a blank a line may only be broken beside a hanzi.
bool may_break_between(char32_t left, char32_t right) {
  if (is_closing(right) || is_opening(left)) return false;
  return is_wide(left) || is_wide(right);
}

float width_of(const std::vector<ProsePiece>& pieces, std::size_t begin, std::size_t end) {
  float width = 0;
  for (std::size_t i = begin; i < end; ++i)
    width += pieces[i].width + (i == begin ? 0 : pieces[i].blank_before);
  return width;
}

/// "µs", "GB/s." and the like: what means nothing without the number before it.
bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 8> kUnits{"µs", "ms", "s", "KB", "MB", "GB", "GB/s", "TB/s"};
  std::size_t length = 0;
  for (std::string_view rest = word; !rest.empty() && !is_closing(take_character(rest));)
    length = word.size() - rest.size();
  return std::find(kUnits.begin(), kUnits.end(), word.substr(0, length)) != kUnits.end();
}

bool ends_with_number(const ProsePiece& piece) {
  if (piece.kind == ProsePiece::Kind::number) return true;
  return !piece.text.empty() && piece.text.back() >= '0' && piece.text.back() <= '9';
}

/// One hanzi and the signs that close a sentence after it.
bool is_lone_hanzi(const ProsePiece& piece) {
  std::string_view rest = piece.text;
  if (rest.empty() || !is_wide(take_character(rest))) return false;
  while (!rest.empty())
    if (!is_closing(take_character(rest))) return false;
  return true;
}

/// A hanzi does not stand alone on the last line: the one before it comes down too.
void keep_company(std::vector<ProseLine>& lines, const std::vector<ProsePiece>& pieces) {
  if (lines.size() < 2) return;
  ProseLine &last = lines.back(), &before = lines[lines.size() - 2];
  if (last.end - last.begin != 1 || !is_lone_hanzi(pieces[last.begin])) return;
  std::size_t from = before.end - 1;
  while (from > before.begin && !pieces[from].may_break_before) --from;
  if (from == before.begin) return;
  before = {before.begin, from, width_of(pieces, before.begin, from)};
  last = {from, last.end, width_of(pieces, from, last.end)};
}

}  // namespace

void ProseSplitter::append(ProsePiece piece, char32_t first, char32_t last) {
  piece.blank_before = std::exchange(blank_, 0.0f);
  piece.may_break_before = piece.blank_before > 0 ? !is_closing(first) : may_break_between(last_, first);
  if (!pieces_.empty() && ends_with_number(pieces_.back()) && is_unit(piece.text))
    piece.may_break_before = false;
  pieces_.push_back(std::move(piece));
  last_ = last;
}

void ProseSplitter::add_text(const std::string& text, bool bold, float blank) {
  ProsePiece word{.bold = bold};
  char32_t first = 0, last = 0;
  const auto end_word = [&] {
    if (!word.text.empty()) append(std::exchange(word, {.bold = bold}), first, last);
  };
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = take_character(rest);
    if (c == ' ' || c == '\n') {
      end_word();
      blank_ = blank;
      continue;
    }
    if (!word.text.empty() && may_break_between(last, c)) end_word();
    if (word.text.empty()) first = c;
    last = c;
    word.text += before.substr(0, before.size() - rest.size());
  }
  end_word();
}

void ProseSplitter::add_whole(ProsePiece piece) { append(std::move(piece), kWhole, kWhole); }

std::vector<ProseLine> break_lines(const std::vector<ProsePiece>& pieces, float width) {
  std::vector<ProseLine> lines;
  for (std::size_t at = 0; at < pieces.size();) {
    ProseLine line{at, at, 0};
    while (line.end < pieces.size()) {
      // The next stretch without a break inside.
      std::size_t next = line.end + 1;
      while (next < pieces.size() && !pieces[next].may_break_before) ++next;
      const float wider = width_of(pieces, at, next);
      if (wider > width && line.end > at) break;
      line.end = next;
      line.width = wider;
    }
    lines.push_back(line);
    at = line.end;
  }
  keep_company(lines, pieces);
  return lines;
}

}  // namespace fdlab

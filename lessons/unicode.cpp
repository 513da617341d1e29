#include "lessons/unicode.h"

namespace fdlab {
namespace {

constexpr char32_t kBroken = 0xFFFD;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t length_from_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 0;
}

bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

std::int64_t columns(char32_t c) {
  if (is_between(c, 0x300, 0x36f) || is_between(c, 0x20d0, 0x20ff)) return 0;
  const bool is_quote = is_between(c, 0x2018, 0x201d);  // full width in Chinese type, one column in terminals
  return is_hanzi(c) || (is_full_width_punctuation(c) && !is_quote) ? 2 : 1;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {0, 0};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_from_lead(lead);
  if (length == 1) return {lead, 1};
  if (length == 0 || length > text.size()) return {kBroken, 1};
  char32_t value = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {kBroken, 1};
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  return {value, length};
}

CodePoint last_code_point(std::string_view text) {
  if (text.empty()) return {0, 0};
  std::size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && is_continuation(text[begin])) --begin;
  return first_code_point(text.substr(begin));
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    points += point.value;
    text.remove_prefix(point.bytes);
  }
  return points;
}

bool is_hanzi(char32_t c) {
  return is_between(c, 0x3400, 0x4dbf) || is_between(c, 0x4e00, 0x9fff) || is_between(c, 0xf900, 0xfaff) ||
         is_between(c, 0x20000, 0x3134f);
}

bool is_full_width_punctuation(char32_t c) {
  return is_between(c, 0x3000, 0x303f) || is_between(c, 0xff01, 0xff65) || is_between(c, 0x2018, 0x201d);
}

std::int64_t display_width(std::string_view text) {
  std::int64_t width = 0;
  for (const char32_t c : code_points(text)) width += columns(c);
  return width;
}

}  // namespace fdlab

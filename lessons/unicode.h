// UTF-8 text seen as characters, and what typesetting must know of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fdlab {

/// One character and the bytes it takes; a broken byte is U+FFFD of one byte.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};
CodePoint first_code_point(std::string_view text);
CodePoint last_code_point(std::string_view text);

std::u32string code_points(std::string_view text);

bool is_hanzi(char32_t c);
/// Punctuation set on a full square: ，。：（）“”
bool is_full_width_punctuation(char32_t c);

/// Columns in a terminal: two for hanzi and full-width marks, none for combining marks.
std::int64_t display_width(std::string_view text);

}  // namespace fdlab

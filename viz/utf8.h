// Characters of UTF-8 text, one by one.
#pragma once

#include <string>
#include <string_view>

namespace fdlab {

/// Takes the first character off `rest`, which must not be empty. A broken byte is U+FFFD and is taken alone.
inline char32_t take_character(std::string_view& rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const auto head = byte(0);
  const std::size_t length = head < 0x80         ? 1
                             : head >> 5 == 0x6  ? 2
                             : head >> 4 == 0xE  ? 3
                             : head >> 3 == 0x1E ? 4
                                                 : 0;
  char32_t c = length == 1 ? head : length == 0 ? 0xFFFD : head & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= rest.size() || byte(i) >> 6 != 0x2) {
      rest.remove_prefix(1);
      return 0xFFFD;
    }
    c = c << 6 | (byte(i) & 0x3F);
  }
  rest.remove_prefix(length == 0 ? 1 : length);
  return c;
}

/// Appends a character up to U+FFFF.
inline void append_character(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  }
}

/// Hanzi, kana and full-width signs: a line may end after each.
inline bool is_wide(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF01 && c <= 0xFF60) ||
         (c >= 0x3000 && c <= 0x303F);
}

/// Signs that must not open a line, and signs that must not close one.
inline bool is_closing(char32_t c) {
  constexpr std::u32string_view signs = U"，。：；！？、）】》」』〉〕’”…％,.:;!?)]}%";
  return signs.find(c) != std::u32string_view::npos;
}
inline bool is_opening(char32_t c) {
  constexpr std::u32string_view signs = U"（【《「『〈〔‘“([{";
  return signs.find(c) != std::u32string_view::npos;
}

}  // namespace fdlab

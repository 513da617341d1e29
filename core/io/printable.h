// Text from outside, made fit for one line of a sentence.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace fdlab {

/// Control characters become \xNN; what is longer than `limit` bytes is cut, at a whole UTF-8 character, with "…".
inline std::string printable(std::string_view text, std::size_t limit = 512) {
  const bool cut = text.size() > limit;
  std::size_t end = cut ? limit : text.size();
  while (cut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string line;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    line += escaped;
  }
  return cut ? line + "…" : line;
}

}  // namespace fdlab

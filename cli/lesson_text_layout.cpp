#include "cli/lesson_text_layout.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "lessons/unicode.h"

namespace fdlab::cli {
namespace {

constexpr std::u32string_view kClosing = U"，。：；？！、）”’》〉」』%";
constexpr std::u32string_view kOpening = U"（“‘《〈「『";

bool is_wide(char32_t c) { return is_hanzi(c) || is_full_width_punctuation(c); }

/// A line may end between a and b, apart from blanks.
bool may_break(char32_t a, char32_t b) {
  if (kClosing.find(b) != std::u32string_view::npos || kOpening.find(a) != std::u32string_view::npos)
    return false;
  return is_wide(a) || is_wide(b);
}

/// The longest piece at the start of `text` that no line may end within, its blanks after it not included.
std::string_view first_piece(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint here = first_code_point(text.substr(at));
    at += here.bytes;
    if (at >= text.size() || text[at] == ' ') break;
    if (may_break(here.value, first_code_point(text.substr(at)).value)) break;
  }
  return text.substr(0, at);
}

}  // namespace

std::int64_t text_columns() {
  winsize size{};
  std::int64_t columns = 80;
  if (const char* told = std::getenv("COLUMNS")) columns = std::atoll(told);
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
  return std::clamp<std::int64_t>(columns, 20, 100);
}

std::string wrapped(std::string_view text, std::int64_t columns, std::string_view indent) {
  const std::int64_t room = std::max<std::int64_t>(1, columns - display_width(indent));
  std::string lines(indent);
  std::int64_t used = 0;
  std::string blanks;
  while (!text.empty()) {
    if (text[0] == ' ') {
      blanks += ' ';
      text.remove_prefix(1);
      continue;
    }
    const std::string_view piece = first_piece(text);
    text.remove_prefix(piece.size());
    const std::int64_t width = display_width(piece);
    const auto gap = static_cast<std::int64_t>(blanks.size());
    if (used > 0 && used + gap + width > room) {
      lines.append("\n").append(indent);
      used = 0;
    } else if (used > 0) {
      lines += blanks;
      used += gap;
    }
    lines += piece;
    used += width;
    blanks.clear();
  }
  return lines;
}

}  // namespace fdlab::cli

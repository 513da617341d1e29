#include "viz/views/view_text.h"

#include <charconv>

#include "viz/draw.h"

namespace fdlab {

std::optional<std::int64_t> linked_index(const Ui& ui, std::string_view kind) {
  const std::string_view link = ui.hover_link;
  if (!link.starts_with(kind) || link.size() < kind.size() + 2 || link[kind.size()] != '-') return {};
  const std::string_view digits = link.substr(kind.size() + 1);
  std::int64_t index = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return {};
  return index;
}

bool link_area(Ui& ui, Rect r, std::string_view link) {
  if (!is_pointed_at(ui, r)) return false;
  ui.link(link);
  return true;
}

void draw_link(Ui& ui, Rect r, std::string_view link, Role role) {
  if (ui.is_linked(link)) outline(ui, r, ui.color(role), ui.px(1));
}

std::string visible_token(std::string_view token) {
  std::string shown;
  for (const char c : token)
    if (c == '\n') shown += "↵";
    else if (c != '\r') shown += c;
  const std::size_t first = shown.find_first_not_of(' ');
  if (first == std::string::npos) return "␣";
  return shown.substr(first, shown.find_last_not_of(' ') - first + 1);
}

}  // namespace fdlab

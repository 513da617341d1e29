// Small words that all views share: phrases with their blanks filled, entries of the dump without text, names of links.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "viz/ui.h"

namespace fdlab {

/// A phrase of the table with its {} filled.
template <class... Args>
std::string say(const Ui& ui, Phrase which, const Args&... args) {
  return fmt::format(fmt::runtime(ui.tr(which)), args...);
}

/// Writes down a value that is shown as a shape, or under another text.
inline void note_value(Ui& ui, std::string_view id, std::string_view label, std::string_view value, Rect r) {
  if (ui.dump)
    ui.dump->entries.push_back({std::string(id), std::string(label), std::string(value), r, false});
}

inline std::string link_id(std::string_view kind, std::int64_t index) {
  return fmt::format("{}-{}", kind, index);
}

/// Index of the linked thing of a kind: 260 while "key-260" is linked.
std::optional<std::int64_t> linked_index(const Ui& ui, std::string_view kind);

/// True if the pointer is there; then the link lights up everywhere.
bool link_area(Ui& ui, Rect r, std::string_view link);
/// The 1-px outline of whatever is linked now.
void draw_link(Ui& ui, Rect r, std::string_view link, Role role = Role::text);

/// A token as people can see it: "↵" for a line end, "␣" for a blank alone.
std::string visible_token(std::string_view token);

}  // namespace fdlab

// Lesson prose: Markdown parsed by md4c, laid out by our own rules (words, single hanzi, formulas on the
// baseline, no closing punctuation at a line's start), with numbers bound to values.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "viz/ui.h"

namespace fdlab {

struct Markdown;  ///< parsed; defined in markdown.cpp

std::shared_ptr<const Markdown> parse_markdown(std::string_view source);

/// What a reader sees of a bound value and where it comes from.
struct BoundValue {
  std::string text;          ///< "9.614"
  std::string source;        ///< the expression, shown on hover
  std::optional<Role> role;  ///< m, l, o, S: drawn in that colour
};
/// {{name}} in the text → its value now.
using BindingResolver = std::function<BoundValue(std::string_view expression)>;

struct ProseStyle {
  Role role = Role::text2;
  std::string_view id = "lesson.prose";
};

/// Height that draw_markdown will take at this width.
float markdown_height(Ui& ui, const Markdown& document, float width, const BindingResolver& bind);
/// Draws from the top of the box; returns the height taken. May be drawn beyond the box (put it in a
/// ScrollArea).
float draw_markdown(Ui& ui, const Markdown& document, Rect box, const BindingResolver& bind,
                    ProseStyle style = {});

}  // namespace fdlab

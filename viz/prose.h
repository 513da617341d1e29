// Lesson text on the screen: the parsed prose laid out by our own rules (words, single hanzi, formulas on the baseline,
// no closing punctuation at a line's start), with the numbers it is bound to.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lessons/expression.h"
#include "lessons/lesson.h"
#include "lessons/prose.h"
#include "viz/ui.h"

namespace fdlab {

/// What the text is bound to. Everything must outlive the call only.
struct ProseContext {
  ExpressionScope scope;
  std::span<const TermBinding> terms = {};  ///< values behind the terms of formulas, shown on hover
};

struct ProseStyle {
  Role role = Role::text2;
  Font font{};
  std::string_view id =
      "prose";  ///< numbers enter the dump as "prose.tile[8].m:3", formulas as "prose.formula"
};

/// Height that draw_prose takes at this width.
float prose_height(Ui& ui, const Prose& prose, float width, const ProseContext& context,
                   const ProseStyle& style = {});
/// Draws from the top of the box, maybe beyond its end (put it in a ScrollArea); returns the height taken.
float draw_prose(Ui& ui, const Prose& prose, Rect box, const ProseContext& context,
                 const ProseStyle& style = {});

/// The link of a bound value's place on the stage: "tile-8", "key-260", "node-13"; empty if it has none.
std::string link_of(const Referent& referent);
/// The colour of what a value is.
Role role_of(Quantity quantity, Role otherwise);

}  // namespace fdlab

// o as signed bars from a centre line, and the symbols m, l, S, o as print.
#pragma once

#include <span>
#include <string_view>

#include "viz/ui.h"

namespace fdlab {

/// One bar a component, all cards on the scale ±limit; a bar beyond it ends at the edge. NaN: hatched. The dump lists
/// the components.
void draw_output_bars(Ui& ui, Rect box, std::span<const float> o, float limit, std::string_view id);

/// A symbol in its own colour at the left of a row.
void draw_symbol(Ui& ui, Rect row, std::string_view symbol, Role role);

}  // namespace fdlab

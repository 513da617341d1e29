// Predict first: the question at the foot of a stop, and once it is answered, where the answer stands and which rule
// gives it.
#pragma once

#include "viz/scene.h"
#include "viz/ui.h"

namespace fdlab {

/// Folded, an answered gate says in one line what its number line shows.
enum class GateForm : std::uint8_t { full, folded };

float gate_height(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, GateForm form,
                  float width);
void draw_gate(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, GateForm form, Rect box);

}  // namespace fdlab

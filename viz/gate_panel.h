// Predict first: the question at the foot of a stop, and once it is answered, where the answer stands and which rule
// gives it.
#pragma once

#include "viz/scene.h"
#include "viz/ui.h"

namespace fdlab {

float gate_height(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, float width);
void draw_gate(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, Rect box);

}  // namespace fdlab

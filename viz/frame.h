// One frame of the window: the zones and what is drawn in each. Drawing sends commands; only dividers move at once.
#pragma once

#include "viz/layout/zones.h"
#include "viz/scene.h"
#include "viz/ui.h"

namespace fdlab {

Zones zones_of(const Ui& ui, const AppState& state);

void draw_frame(Ui& ui, AppState& state, const Scene& scene, const Zones& zones);

// Its parts that are not views of the trace.
void draw_top_bar(Ui& ui, const AppState& state, const Scene& scene, Rect bar);
void draw_lesson_panel(Ui& ui, const AppState& state, const Scene& scene, Rect panel, bool has_tabs);
void draw_help(Ui& ui, bool is_gpu);

/// The plain background of a panel.
void draw_panel_ground(Ui& ui, Rect panel);

/// "Lesson" and "Step" at the head of a panel that both share; returns where they end.
float draw_panel_tabs(Ui& ui, const AppState& state, Vec2 left_center);

}  // namespace fdlab

#include "viz/frame.h"

#include <cmath>
#include <optional>

#include "viz/draw.h"
#include "viz/views.h"

namespace fdlab {
namespace {

/// The line between two panes: dragged by the pointer, kept as a fraction of the window.
void draw_divider(Ui& ui, AppState& state, const char* name, float x, Rect between, bool counts_from_right) {
  const Rect grip{x - ui.px(3), between.y0, x + ui.px(3), between.y1};
  const Hit hit = hit_area(ui, std::string("divider.") + name, grip, false);
  if (hit.is_held) {
    const float width = counts_from_right ? ui.window.x1 - ui.mouse.position.x : ui.mouse.position.x;
    state.dividers[name] = width / ui.window.width();
    ui.request_redraw();
  }
  const bool is_lit = hit.is_hovered || hit.is_held;
  line(ui, {x, between.y0}, {x, between.y1}, ui.color(is_lit ? Role::text3 : Role::line));
}

void draw_inspector_panel(Ui& ui, const AppState& state, const Scene& scene, Rect panel, bool has_tabs) {
  draw_panel_ground(ui, panel);
  const float pad = 4 * ui.u;
  if (has_tabs) {
    const float head = std::round(2.3f * ui.F);
    draw_panel_tabs(ui, state, {panel.x0 + pad, panel.y0 + head / 2});
    panel.y0 += head - 2 * ui.u;  // the view has a margin of its own
  }
  ScrollArea scroll(ui, "inspector", panel);
  const Vec2 origin = scroll.origin();
  const auto draw = scene.is_gpu() ? draw_gpu_inspector : draw_inspector;
  scroll.end(draw(ui, state, scene, {origin.x, origin.y, panel.x1, origin.y + panel.height()}));
}

void draw_side_panel(Ui& ui, const AppState& state, const Scene& scene, Rect panel) {
  if (state.side_tab == SideTab::lesson) draw_lesson_panel(ui, state, scene, panel, true);
  else draw_inspector_panel(ui, state, scene, panel, true);
}

void draw_stage_pane(Ui& ui, const AppState& state, const Scene& scene, const Zones& zones) {
  const auto draw = scene.is_gpu() ? draw_gpu_stage : draw_stage;
  if (!zones.stage_scrolls) {
    const Clip clip(ui, zones.stage);
    draw(ui, state, scene, zones.stage);
    return;
  }
  ScrollArea scroll(ui, "stage", zones.stage);
  const float top = scroll.origin().y;
  draw(ui, state, scene, {zones.stage.x0, top, zones.stage.x1, top + zones.stage_height});
  scroll.end(zones.stage_height);
}

void draw_panes(Ui& ui, AppState& state, const Scene& scene, const Zones& zones) {
  draw_stage_pane(ui, state, scene, zones);
  if (zones.panels_are_overlays) return;
  if (zones.inspector_is_tab) {
    draw_side_panel(ui, state, scene, zones.lesson);
  } else {
    draw_lesson_panel(ui, state, scene, zones.lesson, false);
    draw_inspector_panel(ui, state, scene, zones.inspector, false);
    draw_divider(ui, state, "inspector", zones.inspector.x0, zones.stage, true);
  }
  draw_divider(ui, state, "lesson", zones.lesson.x1, zones.stage, false);
}

/// Where an open overlay lies; it keeps the pointer from what is below.
Rect overlay_rect(const Ui& ui, const AppState& state, const Zones& zones) {
  switch (state.overlay) {
    case Overlay::help: return ui.window;
    case Overlay::lesson: return zones.panels_are_overlays ? zones.lesson : Rect{};
    case Overlay::inspector: return zones.panels_are_overlays ? zones.inspector : Rect{};
    case Overlay::none: break;
  }
  return {};
}

void draw_overlay(Ui& ui, const AppState& state, const Scene& scene, Rect rect) {
  if (rect.is_empty()) return;
  ui.internals.is_in_overlay = true;
  const Clip clip(ui, rect);
  if (state.overlay == Overlay::help) return draw_help(ui, scene.is_gpu());
  if (state.overlay == Overlay::lesson) draw_lesson_panel(ui, state, scene, rect, false);
  if (state.overlay == Overlay::inspector) draw_inspector_panel(ui, state, scene, rect, false);
  outline(ui, rect, ui.color(Role::line2));
}

}  // namespace

void draw_panel_ground(Ui& ui, Rect panel) {
  if (ui.internals.is_in_overlay) fill(ui, panel, ui.color(Role::panel));
  else ui.grounds.push_back({ui.internals.clips.back().intersect(panel), ui.color(Role::panel)});
}

Zones zones_of(const Ui& ui, const AppState& state) {
  return layout_zones({ui.window.width(), ui.window.height(), ui.F, state.dividers});
}

void draw_frame(Ui& ui, AppState& state, const Scene& scene, const Zones& zones) {
  const Rect overlay = overlay_rect(ui, state, zones);
  ui.internals.overlay = overlay;
  ui.grounds.push_back({ui.window, ui.color(Role::bg)});

  draw_panes(ui, state, scene, zones);
  draw_panel_ground(ui, zones.top_bar);
  draw_top_bar(ui, state, scene, zones.top_bar);
  line(ui, {0, zones.top_bar.y1}, {ui.window.x1, zones.top_bar.y1}, ui.color(Role::line));
  draw_panel_ground(ui, zones.transport);
  (scene.is_gpu() ? draw_gpu_transport : draw_transport)(ui, state, scene, zones.transport);
  line(ui, {0, zones.transport.y0}, {ui.window.x1, zones.transport.y0}, ui.color(Role::line));
  draw_overlay(ui, state, scene, overlay);
}

}  // namespace fdlab

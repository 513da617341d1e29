#include <fmt/format.h>

#include <cmath>

#include "viz/draw.h"
#include "viz/frame.h"
#include "viz/gate_panel.h"
#include "viz/prose.h"

namespace fdlab {
namespace {

std::int64_t num_stops(const Scene& scene) { return static_cast<std::int64_t>(scene.lesson.stops.size()); }

// One dash a stop: passed, here, to come. Each can be clicked.
void draw_stop_dashes(Ui& ui, const AppState& state, const Scene& scene, float right, float middle) {
  const std::int64_t stops = num_stops(scene);
  const float dash = std::round(2.4f * ui.u), gap = ui.u, pitch = dash + gap, half = ui.px(4) / 2;
  float x = right - pitch * static_cast<float>(stops) + gap;
  for (std::int64_t i = 0; i < stops; ++i, x += pitch) {
    const Rect r = snapped(Rect{x, middle - half, x + dash, middle + half});
    const Hit hit = hit_area(ui, fmt::format("go.stop {}", i), r.grown(gap / 2), false);
    const Role role = i == state.stop ? Role::accent : i < state.stop ? Role::text2 : Role::line2;
    fill(ui, r, ui.color(role));
    if (i == state.stop && ui.theme == Theme::light) outline(ui, r, ui.color(Role::mark));
    if (hit.is_hovered) tooltip(ui, r, scene.lesson.stops[static_cast<std::size_t>(i)].title[state.language]);
    if (hit.was_clicked) ui.send(CommandId::go_stop, i);
  }
}

void draw_head(Ui& ui, const AppState& state, const Scene& scene, Rect head, bool has_tabs) {
  const float middle = std::round(head.center().y);
  draw_stop_dashes(ui, state, scene, head.x1, middle);
  if (has_tabs) {
    draw_panel_tabs(ui, state, {head.x0, middle});
    return;
  }
  const std::string text =
      fmt::format(fmt::runtime(ui.tr(Phrase::stop_of)), state.stop + 1, num_stops(scene));
  text_in(ui, head, text, {.font = {FontSize::S}, .role = Role::text3, .id = "lesson.stop"});
}

void draw_foot(Ui& ui, const AppState& state, const Scene& scene, Rect foot) {
  const bool is_first = state.stop == 0, is_last = state.stop + 1 == num_stops(scene);
  ButtonStyle back{.label = ui.tr(Phrase::back)}, next{.label = ui.tr(Phrase::next_stop)};
  if (is_first) back.disabled_reason = ui.tr(Phrase::first_stop_reason);
  const bool has_lesson = scene.has_next_lesson;
  if (is_last && has_lesson) next.label = ui.tr(Phrase::next_lesson);
  if (is_last && !has_lesson) next.disabled_reason = ui.tr(Phrase::last_stop_reason);
  next.is_on = !is_last || has_lesson;
  const float width = std::round(std::max({4.7f * ui.F, button_width(ui, back), button_width(ui, next)}));
  command_button(ui, foot.left(width), CommandId::stop_back, back);
  command_button(ui, foot.right(width), is_last && has_lesson ? CommandId::lesson_next : CommandId::stop_next,
                 next);
}

}  // namespace

float draw_panel_tabs(Ui& ui, const AppState& state, Vec2 left_center) {
  float x = left_center.x;
  const float half = std::round(0.62f * ui.F);
  const bool are_overlays = zones_of(ui, state).panels_are_overlays;
  for (const auto& [tab, overlay, label, command] :
       {std::tuple{SideTab::lesson, Overlay::lesson, Phrase::lesson, CommandId::panel_lesson},
        {SideTab::inspector, Overlay::inspector, Phrase::inspector, CommandId::panel_inspector}}) {
    const bool is_on = are_overlays ? state.overlay == overlay : state.side_tab == tab;
    ButtonStyle style{.label = ui.tr(label), .is_on = is_on, .is_plain = true, .font = {FontSize::S}};
    const float width = button_width(ui, style);
    command_button(ui, {x, left_center.y - half, x + width, left_center.y + half}, command, style);
    x += width + ui.u;
  }
  return x;
}

void draw_lesson_panel(Ui& ui, const AppState& state, const Scene& scene, Rect panel, bool has_tabs) {
  draw_panel_ground(ui, panel);
  const Stop& stop = scene.lesson.stops[static_cast<std::size_t>(state.stop)];
  const float pad = 4 * ui.u;
  Cutter cut{panel.shrunk(pad, 0)};
  draw_head(ui, state, scene, cut.top(std::round(2.3f * ui.F)), has_tabs);
  cut.bottom(std::round(0.73f * ui.F));
  draw_foot(ui, state, scene, cut.bottom(button_height(ui)));
  cut.bottom(3 * ui.u);

  const Rect view{panel.x0, cut.rest.y0, panel.x1, cut.rest.y1};
  ScrollArea scroll(ui, fmt::format("lesson.{}", state.stop), view);
  Rect column{cut.rest.x0, scroll.origin().y, cut.rest.x1, scroll.origin().y + view.height()};

  column.y0 += text_wrapped(ui, column, stop.title[state.language],
                            {.font = {FontSize::L, true}, .id = "lesson.title"});
  column.y0 += 2 * ui.u;
  const auto step = step_of(stop.step, scene.scope(0));
  const ProseContext context{scene.scope(step ? *step : state.step), stop.terms};
  column.y0 +=
      draw_prose(ui, parse_prose(stop.prose[state.language]), column, context, {.id = "lesson.prose"});

  float height = column.y0 - scroll.origin().y;
  if (stop.gate) {
    const float foot = scroll.origin().y + view.height(), gap = 3 * ui.u;
    GateForm form = GateForm::full;
    float gate = gate_height(ui, state, scene, *stop.gate, form, column.width());
    if (column.y0 + gap + gate > foot) {
      form = GateForm::folded;
      gate = gate_height(ui, state, scene, *stop.gate, form, column.width());
    }
    column.y0 = std::max(column.y0 + gap, foot - gate);
    draw_gate(ui, state, scene, *stop.gate, form, {column.x0, column.y0, column.x1, column.y0 + gate});
    height = column.y0 + gate - scroll.origin().y;
  }
  scroll.end(height);
}

}  // namespace fdlab

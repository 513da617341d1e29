#include <fmt/format.h>

#include <array>
#include <cmath>

#include "viz/draw.h"
#include "viz/frame.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

std::string data_text(const Ui& ui, const Scene& scene) {
  const SceneSpec& spec = scene.traced().spec;
  return fmt::format(fmt::runtime(ui.tr(Phrase::data_of_head)), spec.data, spec.layer, spec.q_head);
}

std::string plan_text(const Ui& ui, const Scene& scene) {
  constexpr std::array orders{Phrase::plan_sequential, Phrase::plan_tree, Phrase::plan_two_step,
                              Phrase::plan_flat};
  const DecodePlan& plan = scene.trace().plan();
  return fmt::format(fmt::runtime(ui.tr(Phrase::plan_of)), plan.tile_size,
                     ui.tr(orders[static_cast<std::size_t>(MergeOrder(plan.merge))]));
}

// Language, theme, scale and help, from the right; returns the left end.
float draw_settings(Ui& ui, const AppState& state, Rect bar) {
  Cutter cut{bar.shrunk(2 * ui.u, (bar.height() - button_height(ui)) / 2)};
  const auto place = [&](CommandId command, const std::string& label, bool is_on = false) {
    ButtonStyle style{.label = label, .is_on = is_on, .is_plain = true, .font = kSmall};
    command_button(ui, cut.right(button_width(ui, style)), command, style);
    cut.right(ui.u / 2);
  };
  place(CommandId::help_toggle, fmt::format("{}  ?", ui.tr(Phrase::keys)));
  place(CommandId::scale_up,
        fmt::format(fmt::runtime(ui.tr(Phrase::percent)), 5 * std::lround(ui.scale * 20)));
  place(CommandId::theme_toggle,
        ui.tr(state.theme == Theme::dark ? Phrase::theme_dark : Phrase::theme_light));
  cut.right(ui.u);

  // Both languages, the present one in a box.
  const float other = text_width(ui, kSmall, state.language == Language::en ? "中文" : "EN");
  const float present = text_width(ui, kSmall, state.language == Language::en ? "EN" : "中文") + 2 * ui.u;
  const Rect both = snapped(cut.right(present + other + 2 * ui.u));
  ButtonStyle style{.is_plain = true, .font = kSmall};
  command_button(ui, both, CommandId::language_toggle, style);
  const float half = std::round(0.55f * ui.F), middle = std::round(both.center().y);
  const Rect box{both.x0, middle - half, both.x0 + present, middle + half};
  outline(ui, box, ui.color(Role::text3), 1, ui.px(3));
  text_in(ui, box, state.language == Language::en ? "EN" : "中文", {.font = kSmall, .align = Align::center});
  text_in(ui, {box.x1, both.y0, both.x1, both.y1}, state.language == Language::en ? "中文" : "EN",
          {.font = kSmall, .role = Role::text2, .align = Align::center});
  return both.x0;
}

// What the numbers are of, right-aligned before the settings, as far as there is room; the head's chip is a button.
float draw_chips(Ui& ui, const Scene& scene, Rect room) {
  if (scene.is_gpu()) return room.x1;  // the panel beside the stage says it all
  float right = room.x1;
  const float middle = room.center().y;
  if (const std::string plan = plan_text(ui, scene); chip_width(ui, plan) < 0.45f * room.width()) {
    right -= chip(ui, {right, middle}, plan, "top.plan", Align::right) + ui.u;
  }
  const std::string data = data_text(ui, scene);
  const float width = chip_width(ui, data);
  if (width > right - room.x0) return right;
  const float half = std::round(0.525f * ui.F);
  const Rect r = snapped(Rect{right - width, middle - half, right, middle + half});
  command_button(ui, r, CommandId::head_next, {.label = data, .font = kSmall});
  return right - width - ui.u;
}

/// To the lessons before and behind, where there is room; returns where they end.
float draw_lesson_buttons(Ui& ui, Rect room) {
  const float side = std::round(1.25f * ui.F), y0 = std::round(room.center().y - side / 2);
  if (room.width() < 2 * side) return room.x0;
  const Rect back{room.x0, y0, room.x0 + side, y0 + side};
  command_button(ui, back, CommandId::lesson_back, {.icon = Icon::chevron_left, .is_plain = true});
  command_button(ui, back.moved(side, 0), CommandId::lesson_next,
                 {.icon = Icon::chevron_right, .is_plain = true});
  return back.x1 + side;
}

}  // namespace

void draw_top_bar(Ui& ui, const AppState& state, const Scene& scene, Rect bar) {
  const float pad = 3 * ui.u + ui.px(2);
  const float settings = draw_settings(ui, state, bar);
  Rect rest{bar.x0 + pad, bar.y0, settings - 3 * ui.u, bar.y1};

  const Font bold{.bold = true};
  const std::string name = ui.tr(Phrase::app_name);
  const std::string title = fmt::format("{}  {}", scene.lesson.number, scene.lesson.title[state.language]);
  const float name_width = text_width(ui, bold, name), title_width = text_width(ui, {}, title);
  const bool is_narrow = zones_of(ui, state).panels_are_overlays;  // the panels' buttons need the room
  if (!is_narrow && name_width + title_width + 8 * ui.u <= rest.width()) {
    text_in(ui, rest.left(name_width + 1), name, {.font = bold, .id = "top.name"});
    rest.x0 += name_width + 3 * ui.u;
    line(ui, {rest.x0, bar.y0 + 0.6f * ui.F}, {rest.x0, bar.y1 - 0.6f * ui.F}, ui.color(Role::line2));
    rest.x0 += 3 * ui.u;
  }
  const float width = std::min(title_width + 1, rest.width());
  text_in(ui, rest.left(width), title, {.role = Role::text2, .id = "top.lesson"});
  rest.x0 += width + 2 * ui.u;
  rest.x0 = draw_lesson_buttons(ui, rest) + 3 * ui.u;
  if (is_narrow) draw_panel_tabs(ui, state, {rest.x0, std::round(rest.center().y)});
  else if (rest.width() > 6 * ui.F) draw_chips(ui, scene, rest);
}

}  // namespace fdlab

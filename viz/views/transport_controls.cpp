#include "viz/views/transport_controls.h"

#include <charconv>

#include "viz/draw.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

void draw_buttons(Ui& ui, const AppState& state, const TransportLayout& layout, std::int64_t last_step) {
  const char* at_start = state.step == 0 ? ui.tr(Phrase::first_step_reason) : "";
  const char* at_end = state.step == last_step ? ui.tr(Phrase::last_step_reason) : "";
  command_button(ui, layout.home, CommandId::go_home, {.icon = Icon::home, .disabled_reason = at_start});
  command_button(ui, layout.back, CommandId::step_back,
                 {.icon = Icon::step_back, .disabled_reason = at_start});
  command_button(ui, layout.play, CommandId::play_toggle,
                 {.icon = state.is_playing ? Icon::pause : Icon::play, .is_accent = true});
  command_button(ui, layout.next, CommandId::step_next, {.icon = Icon::step_next, .disabled_reason = at_end});
  command_button(ui, layout.end, CommandId::go_end, {.icon = Icon::end, .disabled_reason = at_end});
}

void draw_field(Ui& ui, const AppState& state, Rect box, const std::string& total) {
  const std::string step = std::to_string(state.step);
  const TextField field = text_field(ui, "transport.step", box, step);
  text_in(ui, {box.x0, box.y0, box.x1 - 2 * ui.u, box.y1}, total,
          {.role = Role::text3, .align = Align::right, .id = "transport.total"});
  if (!field.was_entered) return;
  std::int64_t number = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto read = std::from_chars(field.text.data(), end, number);
  if (read.ec == std::errc{} && read.ptr == end) ui.send(CommandId::go_step, number);
}

void draw_speed(Ui& ui, const AppState& state, Rect box, const std::string& label) {
  if (!button(ui, "speed", box, {.label = label})) return;
  if (state.speed < kMaxSpeed) return ui.send(CommandId::speed_up);
  for (double speed = state.speed; speed > kMinSpeed; speed /= 2) ui.send(CommandId::speed_down);
}

}  // namespace

void draw_transport_controls(Ui& ui, const AppState& state, const TransportLayout& layout,
                             const TransportControls& controls) {
  draw_buttons(ui, state, layout, controls.last_step);
  draw_field(ui, state, layout.field, controls.total);
  draw_speed(ui, state, layout.speed, controls.speed);
}

void draw_playhead(Ui& ui, const AppState& state, Vec2 center) {
  const float radius = ui.px(8);
  circle(ui, center, radius, ui.color(Role::accent));
  if (ui.theme == Theme::light) ring(ui, center, radius, ui.color(Role::mark), ui.px(2));
  note_value(ui, "track.now", "step", std::to_string(state.step),
             {center.x - radius, center.y - radius, center.x + radius, center.y + radius});
}

}  // namespace fdlab

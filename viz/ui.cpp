#include "viz/ui.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>

#include "viz/draw.h"
#include "viz/fonts.h"

namespace fdlab {
namespace {

void take_mouse(Mouse& mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool was_down = mouse.is_down;
  const bool is_known = io.MousePos.x > -1e6f && io.MousePos.y > -1e6f;
  mouse.position = is_known ? Vec2{io.MousePos.x, io.MousePos.y} : Vec2{-1, -1};
  mouse.is_down = io.MouseDown[0];
  mouse.was_pressed = mouse.is_down && !was_down;
  mouse.was_released = !mouse.is_down && was_down;
  mouse.wheel = io.MouseWheel;
  mouse.has_shift = io.KeyShift;
  if (mouse.was_pressed) mouse.press_position = mouse.position;
}

// One window without any looks of its own, as large as the frame: it carries the draw list and the text fields.
void open_canvas(Rect window) {
  ImGui::SetNextWindowPos({window.x0, window.y0});
  ImGui::SetNextWindowSize({window.width(), window.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("canvas", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
}

void draw_tooltip(Ui& ui) {
  const std::string& text = ui.internals.tooltip;
  if (text.empty()) return;
  const Font font{FontSize::S};
  const float pad = ui.u, widest = std::min(20 * ui.F, ui.window.width() - 4 * pad);
  const float width = std::min(text_width(ui, font, text) + 1, widest);
  const float height = text_wrapped_height(ui, width, text, font);
  Rect box =
      rect_at({ui.internals.tooltip_at.x0, ui.internals.tooltip_at.y1 + pad}, width + 2 * pad, height + pad);
  if (box.x1 > ui.window.x1 - pad) box = box.moved(ui.window.x1 - pad - box.x1, 0);
  if (box.y1 > ui.window.y1 - pad) box = box.moved(0, ui.internals.tooltip_at.y0 - pad - box.y1);
  box = snapped(box.x0 < pad ? box.moved(pad - box.x0, 0) : box);
  fill(ui, box, ui.color(Role::raised), ui.px(3));
  outline(ui, box, ui.color(Role::line2), 1, ui.px(3));
  text_wrapped(ui, box.shrunk(pad, pad / 2), text, {.font = font, .id = "tooltip"});
}

}  // namespace

float Ui::px(float at_100_percent) const { return std::max(1.0f, std::round(at_100_percent * scale)); }

float Ui::passed(double seconds) {
  if (reduced_motion || step_age_s >= seconds) return 1;
  request_redraw();
  return static_cast<float>(step_age_s / seconds);
}

void Ui::link(std::string_view id) { internals.next_hover_link = id; }

void Ui::begin_frame() {
  const ImGuiIO& io = ImGui::GetIO();
  take_mouse(mouse);
  window = {0, 0, io.DisplaySize.x, io.DisplaySize.y};
  tr.language = language;
  open_canvas(window);
  draw = ImGui::GetWindowDrawList();
  commands.clear();
  grounds.clear();
  wants_redraw = false;
  if (dump) dump->clear();
  internals.clips = internals.text_clips = {window};
  internals.last_focus_order = std::move(internals.focus_order);
  internals.focus_order.clear();
  internals.next_hover_link.clear();
  internals.tooltip.clear();
  internals.arrows.reset();
  internals.is_in_overlay = false;
  if (mouse.was_pressed) internals.pressed_id.clear();
}

void Ui::end_frame() {
  internals.is_in_overlay = true;
  draw_tooltip(*this);
  ImGui::End();
  if (mouse.was_released) internals.pressed_id.clear();
  internals.presses_focus = internals.focus_moved = false;
  if (internals.next_hover_link != hover_link) request_redraw();
  hover_link = internals.next_hover_link;
}

void Ui::move_focus(int direction) {
  const auto& order = internals.focus_order;  // of the frame that is on the screen
  internals.focus_moved = true;
  if (order.empty()) return;
  const auto at = std::find(order.begin(), order.end(), focus);
  const auto count = static_cast<std::ptrdiff_t>(order.size());
  const std::ptrdiff_t from = at == order.end() ? (direction > 0 ? -1 : count) : at - order.begin();
  focus = order[static_cast<std::size_t>((from + direction + count) % count)];
}

std::optional<Command> Ui::command_of_arrow(KeyPress key) const {
  const auto& arrows = internals.arrows;
  if (!arrows || arrows->control != focus) return std::nullopt;
  if (key == KeyPress{GLFW_KEY_LEFT}) return Command{arrows->left};
  if (key == KeyPress{GLFW_KEY_RIGHT}) return Command{arrows->right};
  return std::nullopt;
}

}  // namespace fdlab

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/draw.h"

namespace fdlab {
namespace {

constexpr float kTarget = 1.45f;  // least height of a target, in F
constexpr float kCorner = 3;

// A small box still takes the pointer within a target's height.
Rect reach(const Ui& ui, Rect r) {
  const float dx = std::max(0.0f, (kTarget * ui.F - r.width()) / 2),
              dy = std::max(0.0f, (kTarget * ui.F - r.height()) / 2);
  return r.shrunk(-std::min(dx, ui.u), -std::min(dy, ui.u));
}

void note(Ui& ui, std::string_view id, std::string_view label, Rect r) {
  if (ui.dump)
    ui.dump->entries.push_back(
        {std::string(id), std::string(label), "", r, !ui.internals.text_clips.back().covers(r)});
}

void draw_focus(Ui& ui, Rect r) {
  outline(ui, r.grown(ui.px(4)), ui.color(Role::mark), ui.px(2), ui.px(kCorner));
}

Color button_ink(const Ui& ui, const ButtonStyle& style) {
  if (!style.disabled_reason.empty()) return ui.color(Role::text3);
  if (style.is_accent) return ui.color(Role::accent_ink);
  return ui.color(style.is_plain ? Role::text2 : Role::text);
}

void draw_box(Ui& ui, Rect r, const ButtonStyle& style, const Hit& hit) {
  const bool is_disabled = !style.disabled_reason.empty();
  const float corner = ui.px(kCorner);
  if (is_disabled) {
    if (!style.is_plain) outline(ui, r, ui.color(Role::line), 1, corner);
    return;
  }
  if (style.is_accent) {
    fill(ui, r, ui.color(Role::accent), corner);
    if (ui.theme == Theme::light) outline(ui, r, ui.color(Role::mark), 1, corner);
    return;
  }
  if (style.is_plain && !hit.is_hovered && !style.is_on) return;
  fill(ui, r, ui.color(hit.is_held ? Role::sunken : Role::raised), corner);
  outline(ui, r, ui.color(hit.is_hovered || style.is_on ? Role::text3 : Role::line), 1, corner);
}

float icon_size(const Ui& ui) { return std::round(0.55f * ui.F); }

// The keyboard came to this control: what scrolls brings it into view.
void scroll_to(Ui& ui, Rect r) {
  for (const Ui::Internals::Scrolling& area : ui.internals.scrolling) {
    const float below = r.y1 + ui.u - area.view.y1, above = area.view.y0 - (r.y0 - ui.u);
    const float move = below > 0 ? below : above > 0 ? -above : 0;
    if (move == 0) continue;
    area.scroll->offset += move;
    r = r.moved(0, -move);
    ui.request_redraw();
  }
}

Hit labelled_area(Ui& ui, std::string_view id, Rect r, bool takes_focus, std::string_view label) {
  auto& inner = ui.internals;
  const std::string name(id);
  const bool is_reachable = inner.is_in_overlay || inner.overlay.is_empty() || !inner.overlay.overlaps(r);
  if (takes_focus && is_reachable) inner.focus_order.push_back(name);
  Hit hit;
  hit.has_focus = takes_focus && ui.focus == name;
  hit.is_hovered = is_pointed_at(ui, reach(ui, r)) && (inner.pressed_id.empty() || inner.pressed_id == name);
  if (hit.is_hovered && ui.mouse.was_pressed) {
    inner.pressed_id = name;
    ui.focus.clear();
  }
  hit.is_held = ui.mouse.is_down && inner.pressed_id == name;
  hit.was_clicked = (hit.is_hovered && ui.mouse.was_released && inner.pressed_id == name) ||
                    (hit.has_focus && inner.presses_focus);
  if (hit.has_focus && inner.focus_moved) scroll_to(ui, r);
  if (hit.has_focus) draw_focus(ui, r);
  note(ui, id, label, r);
  return hit;
}

}  // namespace

Clip::Clip(Ui& ui, Rect r) : ui_(ui) {
  ui.internals.clips.push_back(ui.internals.clips.back().intersect(r));
  ui.internals.text_clips.push_back(ui.internals.text_clips.back().intersect(r));
  const Rect& c = ui.internals.clips.back();
  ui.draw->PushClipRect({c.x0, c.y0}, {std::max(c.x0, c.x1), std::max(c.y0, c.y1)});
}

Clip::~Clip() {
  ui_.internals.clips.pop_back();
  ui_.internals.text_clips.pop_back();
  ui_.draw->PopClipRect();
}

ScrollArea::ScrollArea(Ui& ui, std::string_view id, Rect view)
    : ui_(ui), id_(id), view_(view), clip_(ui, view) {
  Ui::Scroll& kept = ui.internals.scrolls[id_];
  if (ui.mouse.wheel != 0 && kept.most > 0 && is_pointed_at(ui, view)) {
    kept.offset -= ui.mouse.wheel * 3 * ui.F;
    ui.mouse.wheel = 0;
  }
  offset_ = kept.offset = std::round(std::clamp(kept.offset, 0.0f, kept.most));
  ui.internals.text_clips.back() = {view.x0, -1e6f, view.x1, 1e6f};
  ui.internals.scrolling.push_back({&kept, view});
}

ScrollArea::~ScrollArea() { ui_.internals.scrolling.pop_back(); }

void ScrollArea::end(float content_height) {
  Ui::Scroll& kept = ui_.internals.scrolls[id_];
  const float most = std::max(0.0f, std::ceil(content_height - view_.height()));
  if (most != kept.most) ui_.request_redraw();
  kept.most = most;
  if (most <= 0) return;
  const float thumb = std::max(ui_.F, view_.height() * view_.height() / content_height), width = ui_.px(4);
  const float y = view_.y0 + (view_.height() - thumb) * std::min(1.0f, offset_ / most);
  fill(ui_, snapped(Rect{view_.x1 - width, y, view_.x1, y + thumb}), ui_.color(Role::line2));
}

bool is_pointed_at(const Ui& ui, Rect r) {
  const auto& inner = ui.internals;
  if (!inner.is_in_overlay && inner.overlay.contains(ui.mouse.position)) return false;
  return inner.clips.back().intersect(r).contains(ui.mouse.position);
}

Hit hit_area(Ui& ui, std::string_view id, Rect r, bool takes_focus) {
  return labelled_area(ui, id, r, takes_focus, "");
}

void take_arrows(Ui& ui, std::string_view id, CommandId left, CommandId right) {
  if (ui.focus == id) ui.internals.arrows = {std::string(id), left, right};
}

float button_height(const Ui& ui) { return std::round(kTarget * ui.F); }

float button_width(const Ui& ui, const ButtonStyle& style) {
  const float label = style.label.empty() ? 0 : text_width(ui, style.font, style.label);
  const float mark = style.icon ? icon_size(ui) + (style.label.empty() ? 0 : ui.u) : 0;
  return std::ceil(label + mark + (style.is_plain ? 2 : 4) * ui.u * 0.75f);
}

bool button(Ui& ui, std::string_view id, Rect r, const ButtonStyle& style) {
  r = snapped(r);
  const Hit hit = labelled_area(ui, id, r, true, style.label);
  draw_box(ui, r, style, hit);
  const Color ink = button_ink(ui, style);
  const float label = style.label.empty() ? 0 : text_width(ui, style.font, style.label);
  const float side = style.icon ? icon_size(ui) : 0, gap = style.icon && !style.label.empty() ? ui.u : 0;
  const float pad = std::max(0.0f, (r.width() - side - gap - label) / 2);
  const bool is_disabled = !style.disabled_reason.empty();
  if (style.icon) {
    const Color color = style.icon_role && !is_disabled ? ui.color(*style.icon_role) : ink;
    icon(ui, *style.icon, snapped(Vec2{r.x0 + pad + side / 2, r.center().y}), side, color);
  }
  if (!style.label.empty())
    text_in(ui, {r.x0 + pad + side + gap, r.y0, r.x1 - std::min(pad, ui.u / 2), r.y1}, style.label,
            {.font = style.font, .color = ink});
  if (is_disabled && (hit.is_hovered || hit.has_focus)) tooltip(ui, r, style.disabled_reason);
  return hit.was_clicked && !is_disabled;
}

void command_button(Ui& ui, Rect r, CommandId command, ButtonStyle style, std::int64_t argument) {
  const CommandInfo& info = info_of(command);
  const std::string id = argument == 0 ? info.name : fmt::format("{} {}", info.name, argument);
  if (button(ui, id, r, style)) ui.send(command, argument);
  if (!style.disabled_reason.empty() || !is_pointed_at(ui, r)) return;
  const char* label = ui.tr(info.label);
  tooltip(ui, r, info.key_name[0] ? fmt::format("{}  {}", label, info.key_name) : std::string(label));
}

float chip_width(const Ui& ui, std::string_view text) {
  return std::ceil(text_width(ui, {FontSize::S}, text) + 2.5f * ui.u);
}

float chip(Ui& ui, Vec2 left_center, std::string_view text, std::string_view id, Align align) {
  const float width = chip_width(ui, text), height = std::round(1.05f * ui.F);
  const float x = align == Align::right ? left_center.x - width : left_center.x;
  const Rect r = snapped(rect_at({x, left_center.y - height / 2}, width, height));
  fill(ui, r, ui.color(Role::raised), ui.px(kCorner));
  outline(ui, r, ui.color(Role::line), 1, ui.px(kCorner));
  text_in(ui, r, text, {.font = {FontSize::S}, .role = Role::text2, .align = Align::center, .id = id});
  return width;
}

TextField text_field(Ui& ui, std::string_view id, Rect r, std::optional<std::string_view> value,
                     std::string_view hint) {
  r = snapped(r);
  const std::string name(id), label = "##" + name;
  std::string& text = ui.internals.texts[name];
  const bool was_active = ImGui::GetActiveID() == ImGui::GetID(label.c_str());
  if (!was_active && value) text = *value;
  Dump* const dump = std::exchange(ui.dump, nullptr);  // the field enters it once, with its text
  const Hit hit = hit_area(ui, id, r);
  ui.dump = dump;
  fill(ui, r, ui.color(Role::sunken), ui.px(kCorner));
  outline(ui, r, ui.color(Role::text3), 1, ui.px(kCorner));
  ImGui::SetCursorScreenPos({r.x0, r.y0});
  ImGui::SetNextItemWidth(r.width());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {2 * ui.u, std::floor((r.height() - ImGui::GetFontSize()) / 2 - 0.03f * ui.F)});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0u);
  ImGui::PushStyleColor(ImGuiCol_Text, ui.color(Role::text));
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, faded(ui.color(Role::accent), 0.35f));
  if (ui.internals.entering == name || (hit.has_focus && ui.internals.presses_focus)) {
    ImGui::SetKeyboardFocusHere();
    ui.internals.entering.clear();
    ui.request_redraw();
  }
  TextField field;
  field.was_entered = ImGui::InputText(
      label.c_str(), &text, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  field.is_active = ImGui::IsItemActive();
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar();
  if (!field.is_active && text.empty() && !hint.empty())
    text_in(ui, r.shrunk(2 * ui.u, 0), hint, {.role = Role::text3});
  if (ui.dump) ui.dump->entries.push_back({name, "", text, r, false});
  field.text = text;
  return field;
}

void enter_text_field(Ui& ui, std::string_view id) {
  ui.internals.entering = id;
  ui.request_redraw();
}

void tooltip(Ui& ui, Rect near, std::string_view text) {
  ui.internals.tooltip = text;
  ui.internals.tooltip_at = near;
}

}  // namespace fdlab

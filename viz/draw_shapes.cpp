#include <imgui.h>

#include <array>
#include <cmath>

#include "viz/draw.h"

namespace fdlab {
namespace {

ImVec2 im(Vec2 v) { return {v.x, v.y}; }

// A stroke that is horizontal or vertical covers whole pixels.
bool fill_straight(Ui& ui, Vec2 a, Vec2 b, Color color, float width) {
  if (a.x != b.x && a.y != b.y) return false;
  const float before = std::floor(width / 2);
  Rect r{std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)};
  r = a.y == b.y ? Rect{r.x0, std::round(r.y0) - before, r.x1, std::round(r.y0) - before + width}
                 : Rect{std::round(r.x0) - before, r.y0, std::round(r.x0) - before + width, r.y1};
  fill(ui, r, color);
  return true;
}

void triangle(Ui& ui, Vec2 a, Vec2 b, Vec2 c, Color color) {
  ui.draw->AddTriangleFilled(im(a), im(b), im(c), color);
}

void bar(Ui& ui, float x0, float y0, float x1, float y1, Color color) {
  fill(ui, snapped(Rect{x0, y0, x1, y1}), color);
}

}  // namespace

void fill(Ui& ui, Rect r, Color color, float corner) {
  if (!r.is_empty()) ui.draw->AddRectFilled({r.x0, r.y0}, {r.x1, r.y1}, color, corner);
}

void outline(Ui& ui, Rect r, Color color, float width, float corner) {
  if (r.is_empty()) return;
  if (corner > 0) {
    const float half = width / 2;
    ui.draw->AddRect({r.x0 + half - 0.5f, r.y0 + half - 0.5f}, {r.x1 - half + 0.5f, r.y1 - half + 0.5f},
                     color, corner, 0, width);
    return;
  }
  fill(ui, r.top(width), color);
  fill(ui, r.bottom(width), color);
  fill(ui, {r.x0, r.y0 + width, r.x0 + width, r.y1 - width}, color);
  fill(ui, {r.x1 - width, r.y0 + width, r.x1, r.y1 - width}, color);
}

void dashed_outline(Ui& ui, Rect r, Color color) {
  dashed_line(ui, {r.x0, r.y0}, {r.x1, r.y0}, color);
  dashed_line(ui, {r.x0, r.y1 - 1}, {r.x1, r.y1 - 1}, color);
  dashed_line(ui, {r.x0, r.y0}, {r.x0, r.y1}, color);
  dashed_line(ui, {r.x1 - 1, r.y0}, {r.x1 - 1, r.y1}, color);
}

void line(Ui& ui, Vec2 a, Vec2 b, Color color, float width) {
  if (!fill_straight(ui, a, b, color, width)) ui.draw->AddLine(im(a), im(b), color, width);
}

void dashed_line(Ui& ui, Vec2 a, Vec2 b, Color color, float width) {
  const float length = std::hypot(b.x - a.x, b.y - a.y), dash = ui.px(3), pitch = ui.px(5);
  if (length <= 0) return;
  const Vec2 direction = (b - a) * (1 / length);
  for (float at = 0; at < length; at += pitch)
    line(ui, a + direction * at, a + direction * std::min(at + dash, length), color, width);
}

void polyline(Ui& ui, std::span<const Vec2> points, Color color, float width) {
  static_assert(sizeof(Vec2) == sizeof(ImVec2));
  ui.draw->AddPolyline(reinterpret_cast<const ImVec2*>(points.data()), static_cast<int>(points.size()), color,
                       0, width);
}

void hatch(Ui& ui, Rect r, Color color) {
  const Clip clip(ui, r);
  for (float x = r.x0 - r.height(); x < r.x1; x += ui.px(5))
    ui.draw->AddLine({x, r.y1}, {x + r.height(), r.y0}, color, std::max(1.0f, ui.scale));
}

void stripes(Ui& ui, Rect r, Color a, Color b) {
  fill(ui, r, a);
  const Clip clip(ui, r);
  const float h = r.height(), pitch = ui.px(10), half = pitch / 2;
  for (float x = r.x0 - h; x < r.x1; x += pitch)
    ui.draw->AddQuadFilled({x, r.y1}, {x + h, r.y0}, {x + h + half, r.y0}, {x + half, r.y1}, b);
}

void circle(Ui& ui, Vec2 center, float radius, Color color) {
  ui.draw->AddCircleFilled(im(center), radius, color);
}

void ring(Ui& ui, Vec2 center, float radius, Color color, float width) {
  ui.draw->AddCircle(im(center), radius - width / 2, color, 0, width);
}

void color_bar(Ui& ui, Rect r, ColorMap map) {
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const Color a = color_at(ui.theme, map, static_cast<float>(i) / kPieces);
    const Color b = color_at(ui.theme, map, static_cast<float>(i + 1) / kPieces);
    const float w = r.width() / kPieces, x = r.x0 + w * static_cast<float>(i);
    ui.draw->AddRectFilledMultiColor({x, r.y0}, {x + w, r.y1}, a, b, b, a);
  }
}

void icon(Ui& ui, Icon which, Vec2 center, float size, Color color) {
  const float h = size / 2, x = center.x, y = center.y, w = std::max(1.5f, size / 7);
  const auto stroke = [&](std::initializer_list<Vec2> points) {
    polyline(ui, std::span(points.begin(), points.size()), color, w);
  };
  switch (which) {
    case Icon::play: triangle(ui, {x - 0.7f * h, y - h}, {x + h, y}, {x - 0.7f * h, y + h}, color); break;
    case Icon::pause:
      bar(ui, x - 0.75f * h, y - h, x - 0.2f * h, y + h, color);
      bar(ui, x + 0.2f * h, y - h, x + 0.75f * h, y + h, color);
      break;
    case Icon::step_back:
      bar(ui, x - 0.8f * h, y - 0.8f * h, x - 0.5f * h, y + 0.8f * h, color);
      triangle(ui, {x + 0.7f * h, y - 0.8f * h}, {x + 0.7f * h, y + 0.8f * h}, {x - 0.4f * h, y}, color);
      break;
    case Icon::step_next:
      bar(ui, x + 0.5f * h, y - 0.8f * h, x + 0.8f * h, y + 0.8f * h, color);
      triangle(ui, {x - 0.7f * h, y - 0.8f * h}, {x + 0.4f * h, y}, {x - 0.7f * h, y + 0.8f * h}, color);
      break;
    case Icon::home:
      bar(ui, x - h, y - 0.8f * h, x - 0.75f * h, y + 0.8f * h, color);
      triangle(ui, {x + 0.2f * h, y - 0.8f * h}, {x + 0.2f * h, y + 0.8f * h}, {x - 0.7f * h, y}, color);
      triangle(ui, {x + h, y - 0.8f * h}, {x + h, y + 0.8f * h}, {x + 0.1f * h, y}, color);
      break;
    case Icon::end:
      bar(ui, x + 0.75f * h, y - 0.8f * h, x + h, y + 0.8f * h, color);
      triangle(ui, {x - h, y - 0.8f * h}, {x - 0.1f * h, y}, {x - h, y + 0.8f * h}, color);
      triangle(ui, {x - 0.2f * h, y - 0.8f * h}, {x + 0.7f * h, y}, {x - 0.2f * h, y + 0.8f * h}, color);
      break;
    case Icon::max_rises:
      triangle(ui, {x, y - 0.9f * h}, {x + h, y + 0.8f * h}, {x - h, y + 0.8f * h}, color);
      break;
    case Icon::rescale:
      stroke({{x, y - h}, {x + h, y}, {x, y + h}, {x - h, y}, {x, y - h}, {x + h, y}});
      break;
    case Icon::merge: circle(ui, center, 0.8f * h, color); break;
    case Icon::cross:
      stroke({{x - h, y - h}, {x + h, y + h}});
      stroke({{x - h, y + h}, {x + h, y - h}});
      break;
    case Icon::check: stroke({{x - h, y}, {x - 0.3f * h, y + 0.7f * h}, {x + h, y - 0.7f * h}}); break;
    case Icon::chevron_left: stroke({{x + 0.4f * h, y - h}, {x - 0.6f * h, y}, {x + 0.4f * h, y + h}}); break;
    case Icon::chevron_right:
      stroke({{x - 0.4f * h, y - h}, {x + 0.6f * h, y}, {x - 0.4f * h, y + h}});
      break;
    case Icon::plus: bar(ui, x - w / 2, y - h, x + w / 2, y + h, color); [[fallthrough]];
    case Icon::minus: bar(ui, x - h, y - w / 2, x + h, y + w / 2, color); break;
  }
}

}  // namespace fdlab

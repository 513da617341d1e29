#include "viz/views/output_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/formula.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr std::size_t kMostListed = 16;

std::string list_of(std::span<const float> o) {
  std::string text;
  for (std::size_t c = 0; c < std::min(o.size(), kMostListed); ++c)
    text += (c ? " " : "") + fixed_text(o[c], 4);
  return o.size() > kMostListed ? text + " …" : text;
}

}  // namespace

void draw_output_bars(Ui& ui, Rect box, std::span<const float> o, float limit, std::string_view id) {
  note_value(ui, id, "o", list_of(o), box);
  if (std::any_of(o.begin(), o.end(), [](float x) { return !std::isfinite(x); }))
    return hatch(ui, box, ui.color(Role::bad));
  // Components share a pixel where there are more of them than pixels; the largest of them shows.
  const float pitch = std::max(1.0f, std::floor(box.width() / static_cast<float>(o.size())));
  const float gap = pitch >= 3 ? std::max(1.0f, std::floor(pitch / 6)) : 0;
  const float count = std::min(static_cast<float>(o.size()), std::floor(box.width() / pitch));
  const float x0 = std::round(box.center().x - count * pitch / 2), middle = std::round(box.center().y);
  fill(ui, {x0, middle, x0 + count * pitch, middle + 1}, ui.color(Role::line2));
  for (float i = 0; i < count; ++i) {
    const auto size = static_cast<float>(o.size());
    const auto begin = static_cast<std::size_t>(i / count * size),
               end = static_cast<std::size_t>((i + 1) / count * size);
    float value = 0;
    for (std::size_t c = begin; c < std::max(end, begin + 1); ++c)
      if (std::abs(o[c]) > std::abs(value)) value = o[c];
    const float height =
        limit > 0 ? std::round(std::min(1.0f, std::abs(value) / limit) * box.height() / 2) : 0;
    const Rect bar =
        value >= 0 ? Rect{0, middle - height, 0, middle + 1} : Rect{0, middle, 0, middle + 1 + height};
    fill(ui, {x0 + i * pitch, bar.y0, x0 + (i + 1) * pitch - gap, bar.y1}, ui.color(Role::o));
  }
}

void draw_symbol(Ui& ui, Rect row, std::string_view symbol, Role role) {
  if (row.is_empty()) return;
  const float tex_em = formula_em(ui, {}), baseline = row.y0 + baseline_in(ui, {}, row.height());
  draw_formula(ui, {row.x0 + ui.px(8), baseline}, fmt::format("\\{}{{}}", symbol), tex_em, {.role = role});
}

}  // namespace fdlab

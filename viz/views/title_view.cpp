// The stage's title sentence, and the legends of the two colour maps at its right.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

struct Legend {
  const char* id;
  std::string label, low, high;
  ColorMap map;
};

constexpr Font kSmall{FontSize::S};

float bar_width(const Ui& ui) { return ui.px(72); }

float legend_width(const Ui& ui, const Legend& legend) {
  const auto width = [&](std::string_view text) { return text_width(ui, kSmall, text); };
  return std::ceil(width(legend.label) + width(legend.low) + width(legend.high)) + bar_width(ui) + 3 * ui.u;
}

void draw_legend(Ui& ui, const Legend& legend, float x, float y0, float height) {
  const auto put = [&](std::string_view text, std::string_view part) {
    const std::string id = std::string("legend.") + legend.id + "." + std::string(part);
    const float width = std::ceil(text_width(ui, kSmall, text));
    text_in(ui, {x, y0, x + width, y0 + height}, text,
            {.font = kSmall, .role = Role::text3, .id = id, .label = legend.label});
    x += width + ui.u;
  };
  put(legend.label, "label");
  put(legend.low, "low");
  const float thick = ui.px(10);
  color_bar(ui, snapped(rect_at({x, y0 + (height - thick) / 2}, bar_width(ui), thick)), legend.map);
  x += bar_width(ui) + ui.u;
  put(legend.high, "high");
}

std::string sentence(const Ui& ui, const StageFrame& frame) {
  const std::int64_t keys = frame.plan().kv_len, query = keys - 1;
  const auto& tokens = frame.scene.traced().data.tokens;
  if (keys == 0) return ui.tr(Phrase::stage_title_no_keys);
  if (tokens.empty()) return say(ui, Phrase::stage_title, count_text(keys), frame.plan().tile_size);
  return say(ui, Phrase::stage_title_token, query, count_text(keys), frame.plan().tile_size);
}

}  // namespace

void draw_title(Ui& ui, const StageFrame& frame) {
  if (frame.rows.title.is_empty()) return;
  const double limit = std::max(std::abs(frame.trace.min_score()), std::abs(frame.trace.max_score()));
  const Legend legends[] = {
      {"score", ui.tr(Phrase::score), fixed_text(-limit, 1), fixed_text(limit, 1), ColorMap::score},
      {"weight", ui.tr(Phrase::weight_scale), "0", fixed_text(frame.trace.max_weight(), 2),
       ColorMap::weight}};
  const float gap = 3 * ui.u, left = frame.columns.gutter_left(), right = frame.columns.right();
  const float legends_width = legend_width(ui, legends[0]) + gap + legend_width(ui, legends[1]);
  const std::string text = sentence(ui, frame);
  const Rect area = frame.rows.title;
  const bool on_one_line = left + text_width(ui, {}, text) + gap + legends_width <= right;

  // One line, or the legends under the sentence, or the sentence alone.
  const float one = ui.px(28), half = std::floor(area.height() / 2);
  const Rect line_1 = on_one_line ? Rect{left, area.y0 + ui.px(10), right, area.y0 + ui.px(10) + one}
                                  : Rect{left, area.y0 + ui.px(3), right, area.y0 + half};
  text_in(ui, line_1, text, {.id = "stage.title"});
  const Rect line_2 = on_one_line ? line_1 : Rect{left, area.y0 + half, right, area.y1 - ui.px(6)};
  float x = on_one_line ? right - legends_width : left;
  for (const Legend& legend : legends) {
    const float width = legend_width(ui, legend);
    if (x + width > right + 1) break;
    draw_legend(ui, legend, x, line_2.y0, line_2.height());
    x += width + gap;
  }
}

}  // namespace fdlab

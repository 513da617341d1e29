// The strip: every key's score as a colour and its weight as a bar, under the tile it belongs to. A key is drawn once it
// has joined its tile.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

Color score_color(const Ui& ui, const Trace& trace, float score) {
  const float limit = std::max(std::abs(trace.min_score()), std::abs(trace.max_score()));
  return color_at(ui.theme, ColorMap::score, limit > 0 ? 0.5f + 0.5f * score / limit : 0.5f);
}

void draw_score(Ui& ui, Rect cell, const Trace& trace, float score) {
  if (std::isnan(score) || score == std::numeric_limits<float>::infinity()) {
    hatch(ui, cell, ui.color(Role::bad));
  } else if (score == kMinusInfinity) {
    fill(ui, {cell.x0, cell.center().y, cell.x1, cell.center().y + 1}, ui.color(Role::text3));
  } else {
    fill(ui, cell, score_color(ui, trace, score));
  }
}

/// One pixel column, or one key where keys are wider.
void draw_bar(Ui& ui, const StageFrame& frame, const Columns::KeyPlace& bar, Rect scores, Rect weights) {
  draw_score(ui, {bar.x0, scores.y0, bar.x1, scores.y1}, frame.trace, frame.trace.stats(bar.keys).m);
  const float place = frame.weight_place(frame.trace.share(bar.keys));
  const float height = std::max(1.0f, std::round(place * weights.height()));
  const float gap = bar.x1 - bar.x0 > 2 ? 1 : 0;
  fill(ui, {bar.x0, weights.y1 - height, bar.x1 - gap, weights.y1},
       color_at(ui.theme, ColorMap::weight, 0.25f + 0.75f * place));
}

void draw_tile(Ui& ui, const StageFrame& frame, std::int64_t tile) {
  const Rect scores = frame.score_row(), weights = frame.weight_row();
  const std::int64_t bars = frame.columns.bars_of_tile(tile);
  const float x0 = frame.columns.bar(tile, 0).x0, x1 = frame.columns.bar(tile, bars - 1).x1;
  line(ui, {x0, weights.y1}, {x1, weights.y1}, ui.color(Role::line2));
  const std::int64_t joined = frame.progress.keys_read();
  if (joined <= frame.plan().tile(tile).begin) {
    dashed_outline(ui, {x0, scores.y0, x1, scores.y1}, ui.color(Role::line2));
    return;
  }
  for (std::int64_t i = 0; i < bars; ++i) {
    Columns::KeyPlace bar = frame.columns.bar(tile, i);
    if (bar.keys.begin >= joined) break;
    bar.keys.end = std::min(bar.keys.end, joined);
    draw_bar(ui, frame, bar, scores, weights);
  }
}

/// Outline of a key's bar over both rows.
Rect bar_frame(const StageFrame& frame, std::int64_t key) {
  const std::int64_t tile = key / frame.plan().tile_size;
  const std::int64_t i = (key - frame.plan().tile(tile).begin) / frame.columns.keys_per_px();
  const Columns::KeyPlace bar = frame.columns.bar(tile, i);
  return {bar.x0 - 1, frame.score_row().y0 - 1, bar.x1 + 1, frame.weight_row().y1 + 1};
}
bool is_in_sight(const StageFrame& frame, std::int64_t key) {
  return key >= 0 && key < frame.plan().kv_len &&
         frame.columns.is_visible(frame.order.of_tile(key / frame.plan().tile_size));
}

void point_at_keys(Ui& ui, const StageFrame& frame) {
  const Rect area{frame.columns.left(), frame.score_row().y0, frame.columns.right(), frame.weight_row().y1};
  const Hit hit = hit_area(ui, "strip", area, false);
  const std::int64_t key = hit.is_hovered ? frame.columns.key_at(ui.mouse.position.x) : -1;
  if (key < 0) return;
  if (hit.was_clicked) ui.send(CommandId::go_step, frame.trace.steps().of_key(key));
  ui.link(link_id("key", key));
  const auto& tokens = frame.scene.traced().data.tokens;
  const std::string token = tokens.empty() ? "" : visible_token(tokens[static_cast<std::size_t>(key)]);
  const bool has_joined = frame.trace.steps().of_key(key) <= frame.progress.number();
  tooltip(ui, bar_frame(frame, key),
          has_joined ? say(ui, Phrase::key_joined, key, token, fixed_text(frame.trace.score(key), 3),
                           fixed_text(frame.trace.weight(key), 4))
                     : say(ui, Phrase::key_not_yet, key, token));
}

void draw_row_name(Ui& ui, const StageFrame& frame, float y0, float y1, Phrase name) {
  if (!frame.rows.has_gutter) return;
  text_in(ui, {frame.columns.gutter_left(), y0, frame.columns.left() - 1, y1}, ui.tr(name),
          {.font = {FontSize::S}, .role = Role::text3});
}

}  // namespace

void draw_strip(Ui& ui, const StageFrame& frame) {
  draw_row_name(ui, frame, frame.score_row().y0, frame.score_row().y1, Phrase::score);
  draw_row_name(ui, frame, frame.weight_row().y1 - ui.px(18), frame.weight_row().y1, Phrase::weight);
  for (std::int64_t slot = frame.columns.first(); slot < frame.columns.end(); ++slot)
    if (const std::int64_t tile = frame.order.at(slot).tile; tile >= 0) draw_tile(ui, frame, tile);

  if (is_in_sight(frame, frame.progress.key()))
    outline(ui, bar_frame(frame, frame.progress.key()), ui.color(Role::mark), ui.px(1));
  for (const Referent& thing : frame.highlights)
    if (thing.kind == Referent::Kind::key && thing.index != frame.progress.key() &&
        is_in_sight(frame, thing.index))
      draw_highlight(ui, bar_frame(frame, thing.index), link_id("key", thing.index));
  point_at_keys(ui, frame);
  if (const auto key = linked_index(ui, "key"); key && is_in_sight(frame, *key))
    outline(ui, bar_frame(frame, *key), ui.color(Role::text), ui.px(1));
}

}  // namespace fdlab

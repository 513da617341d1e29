// The whole row of keys on one line, one pixel many keys, with a frame around the columns in sight.
#include <algorithm>
#include <cmath>

#include "viz/draw.h"
#include "viz/views/stage_frame.h"

namespace fdlab {
namespace {

/// Share of the keys read so far in slots [begin, end).
float share_of_slots(const StageFrame& frame, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = frame.order.at(begin).tile, last = frame.order.at(end - 1).tile;
  const auto read_part = [&](KeyRange keys) {
    keys.end = std::min(keys.end, frame.progress.keys_read());
    return keys.begin < keys.end ? frame.trace.share(keys) : 0.0f;
  };
  if (first >= 0 && last - first == end - 1 - begin)  // neighbouring tiles: one run of keys
    return read_part({frame.plan().tile(first).begin, frame.plan().tile(last).end});
  float share = 0;
  for (std::int64_t slot = begin; slot < end; ++slot)
    if (const std::int64_t tile = frame.order.at(slot).tile; tile >= 0)
      share += read_part(frame.plan().tile(tile));
  return share;
}

}  // namespace

void draw_overview(Ui& ui, const StageFrame& frame) {
  if (frame.rows.overview.is_empty()) return;
  const float y0 = frame.rows.overview.y0;
  const Rect bar{frame.columns.gutter_left(), y0 + ui.px(2), frame.columns.right(), y0 + ui.px(14)};
  const auto slots = static_cast<double>(frame.order.count());
  const auto slot_at = [&](float x) { return static_cast<std::int64_t>(x / bar.width() * slots); };
  const auto x_of = [&](std::int64_t slot) {
    return bar.x0 + std::round(static_cast<float>(static_cast<double>(slot) / slots) * bar.width());
  };

  fill(ui, bar, ui.color(Role::card));
  for (float x = 0; x < bar.width(); ++x) {
    const std::int64_t begin = slot_at(x), end = std::max(begin + 1, slot_at(x + 1));
    const float place = frame.weight_place(share_of_slots(frame, begin, end));
    if (place > 0)
      fill(ui, {bar.x0 + x, bar.y0, bar.x0 + x + 1, bar.y1}, color_at(ui.theme, ColorMap::weight, place));
  }
  const float x0 = x_of(frame.columns.first()), x1 = std::max(x0 + ui.px(4), x_of(frame.columns.end()));
  outline(ui, {x0, bar.y0 - ui.px(2), x1, bar.y1 + ui.px(2)}, ui.color(Role::mark), ui.px(1));

  const Hit hit = hit_area(ui, "overview", bar, false);
  if (!hit.is_held || !bar.contains({ui.mouse.position.x, bar.y0})) return;
  const std::int64_t tile = frame.order.at(slot_at(ui.mouse.position.x - bar.x0)).tile;
  if (tile >= 0) ui.send(CommandId::go_step, frame.trace.steps().of_tile_done(tile));
}

}  // namespace fdlab

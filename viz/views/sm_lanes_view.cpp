// The lanes: every SM a row, in the order of their first blocks, time to the right, a block as long as it stays; the merge at the
// end.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

void draw_block(Ui& ui, const SmFrame& frame, const SmGridFrame& grid, const SmBlock& block) {
  const SmLanes& lanes = grid.place.lanes;
  const Rect row = lanes.row(grid.lane_of_sm[static_cast<std::size_t>(block.sm)]);
  const std::int64_t slots = grid.grid.schedule.split.blocks_per_sm;
  // Slots that would be thinner than a pixel lie over each other.
  const float height = std::max(1.0f, row.height() / static_cast<float>(slots));
  const auto slot = static_cast<float>(std::min<std::int64_t>(block.slot, slots - 1));
  const float y0 = std::min(row.y0 + height * slot, row.y1 - height);
  const float x0 = std::round(frame.layout.time.at(block.start_us));
  const float x1 = std::round(frame.layout.time.at(std::min(block.end_us, frame.seen_until_us())));
  const float gap = x1 - x0 > 3 ? 1 : 0;  // between two blocks of a slot
  fill(ui, {x0, y0, std::max(x0 + 1, x1 - gap), y0 + height}, color_of(ui, frame, block));
}

/// The model's second kernel. A merge within the first one is part of its blocks.
void draw_merge(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  const Schedule& s = grid.grid.schedule;
  if (grid.is_recorded || s.merge.blocks.empty()) return;
  const double start_us = s.time_us - s.merge_us, end_us = std::min(s.time_us, frame.seen_until_us());
  if (start_us >= end_us) return;
  const Rect area = grid.place.lanes.area;
  const float x0 = std::round(frame.layout.time.at(start_us)), x1 = std::round(frame.layout.time.at(end_us));
  fill(ui, {x0 + 1, area.y0, std::max(x0 + 2, x1), area.y1}, ui.color(Role::text3));
}

/// Beside the lanes that never have work.
void draw_idle_note(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  const std::int64_t used = grid.grid.used_sms(), idle = frame.scene.gpu.sms - used;
  const Rect area = grid.place.lanes.area;
  const float free_y0 = grid.place.lanes.row(used - 1).y1;
  if (idle <= 0 || area.y1 - free_y0 < 1.2f * ui.F) return;
  text_over_playhead(ui, frame, {area.x0, free_y0, area.x1, area.y1}, say(ui, Phrase::sms_stay_idle, idle),
                     {.font = kSmall,
                      .role = Role::text3,
                      .align = Align::center,
                      .id = std::string("lanes.") + grid.letter + ".idle"},
                     Role::card);
}

/// How much sooner B is done than A, behind its end.
void draw_sooner(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  if (grid.letter != 'B' || !grid.is_known || !frame.a.is_known || grid.is_recorded != frame.a.is_recorded)
    return;
  const double a_us = grid.is_recorded ? frame.a.grid.measured->time_us : frame.a.grid.schedule.time_us;
  const double b_us = grid.is_recorded ? grid.grid.measured->time_us : grid.grid.schedule.time_us;
  if (a_us < 1.02 * b_us) return;
  const std::string text = say(ui, Phrase::times_sooner, fixed_text(a_us / b_us, 1));
  const Rect area = grid.place.lanes.area;
  const float x = frame.layout.time.at(b_us) + 2 * ui.u, width = std::ceil(text_width(ui, kSmall, text)) + 1;
  if (x + width > area.x1) return;
  text_over_playhead(ui, frame, {x, area.y0, x + width, area.y0 + 1.4f * ui.F}, text,
                     {.font = kSmall, .role = Role::text2, .id = "lanes.B.sooner"}, Role::card);
}

void point_at_lanes(Ui& ui, const SmGridFrame& grid) {
  const SmLanes& lanes = grid.place.lanes;
  if (!is_pointed_at(ui, lanes.area)) return;
  const std::int64_t place = lanes.place_at(ui.mouse.position.y);
  ui.link(link_id("sm", grid.sm_of_lane[static_cast<std::size_t>(place)]));
}

}  // namespace

void draw_sm_lanes(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  const SmLanes& lanes = grid.place.lanes;
  fill(ui, lanes.area, ui.color(Role::card));
  for (const SmBlock& block : grid.blocks)
    if (block.start_us <= frame.seen_until_us()) draw_block(ui, frame, grid, block);
  draw_merge(ui, frame, grid);
  point_at_lanes(ui, grid);
  if (const auto sm = linked_index(ui, "sm"); sm && *sm < lanes.sms)
    outline(ui, lanes.row(grid.lane_of_sm[static_cast<std::size_t>(*sm)]).grown(1), ui.color(Role::text),
            ui.px(1));
}

void draw_sm_lane_notes(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  draw_idle_note(ui, frame, grid);
  draw_sooner(ui, frame, grid);
}

}  // namespace fdlab

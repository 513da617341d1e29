// The board: every SM a cell with its slots inside, filled while a block is there.
#include <algorithm>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};
constexpr float kReadable = 0.65f;  // least height of a slot for a number, in F

void draw_ground(Ui& ui, const SmBoard& board) {
  fill(ui, board.area, ui.color(Role::card));
  const Color ink = ui.color(Role::line);
  for (std::int64_t row = 0; row <= board.rows; ++row) {
    const float y = board.area.y0 + board.pitch * static_cast<float>(row);
    line(ui, {board.area.x0, y}, {board.area.x1, y}, ink);
  }
  for (std::int64_t column = 0; column <= board.columns; ++column) {
    const float x = board.area.x0 + board.pitch * static_cast<float>(column);
    line(ui, {x, board.area.y0}, {x, board.area.y1}, ink);
  }
}

/// The split; with one block a head the head, with one head the sequence: whatever tells the blocks apart.
std::int64_t number_of(const SmFrame& frame, const SmGridFrame& grid, const SmBlock& block) {
  if (grid.grid.schedule.num_splits > 1) return block.split;
  return frame.scene.spec.kv_heads > 1 ? block.head : block.sequence;
}

/// Numbers on all blocks or on none.
bool has_numbers(const Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  std::int64_t largest = 0;
  for (const SmBlock& block : grid.blocks) largest = std::max(largest, number_of(frame, grid, block));
  const Rect slot = grid.place.board.slot(0, 0, grid.grid.schedule.split.blocks_per_sm);
  return slot.height() >= kReadable * ui.F && text_width(ui, kSmall, std::to_string(largest)) <= slot.width();
}

void draw_block(Ui& ui, const SmFrame& frame, const SmGridFrame& grid, const SmBlock& block,
                bool has_number) {
  const std::int64_t slots = grid.grid.schedule.split.blocks_per_sm;
  const Rect place = grid.place.board.slot(block.sm, std::min<std::int64_t>(block.slot, slots - 1), slots);
  const Color color = color_of(ui, frame, block);
  fill(ui, place, color);
  if (block.head >= kHatchedFrom && place.width() > 8) hatch(ui, place, faded(ink_on(color), 0.35f));
  if (!has_number) return;
  const std::string text = std::to_string(number_of(frame, grid, block));
  text_at(ui, {place.center().x, place.y0 + baseline_in(ui, kSmall, place.height())}, text,
          {.font = kSmall, .color = ink_on(color), .align = Align::center});
}

void point_at_sms(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  const std::string id = std::string("board.") + grid.letter;
  const Hit hit = hit_area(ui, id, grid.place.board.area, false);
  const std::int64_t sm = hit.is_hovered ? grid.place.board.sm_at(ui.mouse.position) : -1;
  if (sm < 0) return;
  ui.link(link_id("sm", sm));
  std::string text = say(ui, Phrase::sm_number, sm);
  bool is_idle = true;
  for (const SmBlock& block : grid.blocks) {
    if (block.sm != sm || !block.is_there(frame.call_us)) continue;
    is_idle = false;
    text += "  " + say(ui, Phrase::sm_block, block.head, block.split, fixed_text(block.start_us, 1),
                       fixed_text(block.end_us, 1));
  }
  if (is_idle) text += "  " + std::string(ui.tr(Phrase::sm_idle));
  tooltip(ui, grid.place.board.cell(sm), text);
}

}  // namespace

void draw_sm_board(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  draw_ground(ui, grid.place.board);
  const bool numbered = has_numbers(ui, frame, grid);
  std::string busy;
  for (const SmBlock& block : grid.blocks)
    if (block.is_there(frame.call_us)) {
      draw_block(ui, frame, grid, block, numbered);
      busy += fmt::format("{}:{}.{}.{} ", block.sm, block.sequence, block.head, block.split);
    }
  note_value(ui, std::string("board.") + grid.letter + ".blocks", "SM:sequence.head.split", busy,
             grid.place.board.area);
  point_at_sms(ui, frame, grid);
  if (const auto sm = linked_index(ui, "sm"); sm && *sm < grid.place.board.sms)
    outline(ui, grid.place.board.cell(*sm).grown(1), ui.color(Role::text), ui.px(1));
}

}  // namespace fdlab

// The board: every SM a cell with its slots inside, filled while a block is there.
#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr float kReadable = 0.68f;  // least side of a slot for a number, in F

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

void draw_block(Ui& ui, const SmFrame& frame, const SmGridFrame& grid, const SmBlock& block) {
  const std::int64_t slots = grid.grid.schedule.split.blocks_per_sm;
  const Rect r = grid.place.board.slot(block.sm, std::min<std::int64_t>(block.slot, slots - 1), slots)
                     .shrunk(0.5f, 0.5f);
  const Rect cell{std::round(r.x0 + 0.5f), std::round(r.y0 + 0.5f), std::round(r.x1), std::round(r.y1)};
  const Color color = color_of(ui, frame, block);
  fill(ui, cell, color);
  if (block.head >= kHatchedFrom && cell.width() > 8) hatch(ui, cell, faded(ink_on(color), 0.35f));
  const std::string text = std::to_string(number_of(frame, grid, block));
  const Font small{FontSize::S};
  const bool fits = cell.width() >= kReadable * ui.F && cell.height() >= 0.6f * ui.F &&
                    text_width(ui, small, text) <= cell.width() + 1;
  if (fits)
    text_at(ui, {cell.center().x, cell.y0 + baseline_in(ui, small, cell.height())}, text,
            {.font = small, .color = ink_on(color), .align = Align::center});
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
  std::string busy;
  for (const SmBlock& block : grid.blocks)
    if (block.is_there(frame.call_us)) {
      draw_block(ui, frame, grid, block);
      busy += fmt::format("{}:{}.{}.{} ", block.sm, block.sequence, block.head, block.split);
    }
  note_value(ui, std::string("board.") + grid.letter + ".blocks", "SM:sequence.head.split", busy,
             grid.place.board.area);
  point_at_sms(ui, frame, grid);
  if (const auto sm = linked_index(ui, "sm"); sm && *sm < grid.place.board.sms)
    outline(ui, grid.place.board.cell(*sm).grown(1), ui.color(Role::text), ui.px(1));
}

}  // namespace fdlab

// Tile cards: what is kept of each tile's keys, under the tile's column.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/output_bars.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

/// What the step changed of the tile that it scans.
struct Changes {
  bool m = false, l = false, S = false, o = false;
};

Changes changes_of(const StageFrame& frame, std::int64_t tile) {
  const StepDetail& detail = frame.detail;
  if (detail.step.kind != StepKind::key || detail.step.tile != tile) return {};
  const Partial &before = detail.a, &after = detail.result;
  return {before.m != after.m, before.l != after.l, before.S_ln != after.S_ln, before.o != after.o};
}

class Card {
 public:
  Card(Ui& ui, const StageFrame& frame, std::int64_t slot)
      : ui_(ui),
        frame_(frame),
        tile_(frame.order.at(slot).tile),
        slot_(slot),
        side_(frame.progress.side_of_slot(slot)),
        name_side_(frame.named.side_of_slot(slot)),
        box_(frame.card(slot)),
        rows_(layout_card(content_of(box_, ui.F), frame.rows, ui.F, frame.keeps_m_and_l())) {
    name_ = tile_ >= 0 ? fmt::format("card.{}", tile_)
                       : fmt::format("card.stream-{}", frame.order.at(slot).stream);
  }

  void draw() {
    if (tile_ < 0) return draw_empty();
    const std::string link = link_id("tile", tile_);
    if (frame_.progress.of_tile(tile_) == Progress::not_yet) {
      dashed_outline(ui_, box_, ui_.color(Role::line2));
      draw_number(Role::text3);
    } else {
      draw_values();
    }
    if (side_ == Side::none && frame_.is_highlighted(Referent::Kind::tile, tile_))
      draw_highlight(ui_, box_, link);
    if (ui_.hover_link != link) link_area(ui_, rows_.number, link);
    draw_link(ui_, box_, link);
  }

 private:
  /// A very wide card keeps its values together in the middle.
  static Rect content_of(Rect card, float F) {
    const float inset = std::max(0.0f, std::floor((card.width() - 6 * F) / 2));
    return card.shrunk(inset, 0);
  }

  void draw_number(Role role) {
    std::string text = std::to_string(tile_);
    if (const char* side = StageFrame::name_of(name_side_); *side) text += std::string("  ") + side;
    const std::string id = name_ + ".tile";
    text_in(ui_, rows_.number, text,
            {.font = {FontSize::M, side_ != Side::none || name_side_ != Side::none},
             .role = role,
             .align = Align::center,
             .id = id,
             .label = ui_.tr(Phrase::tile)});
  }

  void draw_values() {
    fill(ui_, box_, ui_.color(Role::card));
    if (side_ != Side::none) fill(ui_, box_, ui_.tint(Role::accent_bg));
    if (side_ != Side::none) fill(ui_, box_.top(ui_.px(2)), ui_.color(Role::mark));
    draw_number(side_ == Side::none ? Role::text3 : Role::text);
    const std::int64_t keys = frame_.progress.keys_scanned(tile_);
    const bool is_done = frame_.progress.number() >= frame_.trace.steps().of_tile_done(tile_);
    const Partial partial = is_done ? frame_.trace.tile(tile_) : frame_.trace.tile_after(tile_, keys);
    const Changes changed = changes_of(frame_, tile_);
    draw_value(rows_.m, "m", Role::m, partial.m, partial.empty, changed.m);
    draw_value(rows_.l, "l", Role::l, partial.l, partial.empty, changed.l);
    draw_value(rows_.S, "S", Role::S, partial.S_ln, partial.empty, changed.S);
    draw_output(partial, changed.o);
  }

  void draw_value(Rect row, const char* statistic, Role role, double value, bool is_empty, bool is_changed) {
    if (row.is_empty()) return;
    if (is_changed)
      fill(ui_, rect_at({row.x0, row.y0 + ui_.px(2)}, ui_.px(3), row.height() - ui_.px(4)),
           ui_.tint(Role::accent));
    const std::string id = name_ + "." + statistic;
    const Rect cell{row.x0, row.y0, row.x1 - ui_.px(4), row.y1};
    const int decimals = is_empty ? 0 : frame_.rows.decimals;
    number_in(ui_, cell, value, decimals,
              {.font = {FontSize::M, is_changed},
               .role = is_empty ? Role::text3 : role,
               .id = id,
               .label = statistic});
    const std::string link = StageFrame::link_of(statistic, name_side_);
    if (name_side_ == Side::none) return;
    link_area(ui_, row, link);
    draw_link(ui_, row, link, role);
  }

  void draw_output(const Partial& partial, bool is_changed) {
    if (rows_.o.is_empty()) return;
    if (is_changed)
      fill(ui_, rect_at({rows_.o.x0, rows_.o.y0 + ui_.px(2)}, ui_.px(3), rows_.o.height() - ui_.px(6)),
           ui_.tint(Role::accent));
    if (partial.empty) return draw_never_read();
    draw_output_bars(ui_, rows_.o.shrunk(ui_.px(6), ui_.px(3)), partial.o, frame_.trace.max_abs_o(),
                     name_ + ".o");
    if (name_side_ == Side::none) return;
    const std::string link = StageFrame::link_of("o", name_side_);
    link_area(ui_, rows_.o, link);
    draw_link(ui_, rows_.o, link, Role::o);
  }

  void draw_never_read() {
    if (rows_.o.is_empty()) return;
    const std::string id = name_ + ".o";
    const std::string_view text = ui_.tr(Phrase::never_read);
    if (text_width(ui_, {FontSize::S}, text) > box_.width()) return note_value(ui_, id, "o", text, rows_.o);
    text_in(ui_, rows_.o, text,
            {.font = {FontSize::S}, .role = Role::text3, .align = Align::center, .id = id, .label = "o"});
  }

  /// A stream without tiles: the neutral element.
  void draw_empty() {
    outline(ui_, box_, ui_.color(Role::line2));
    if (side_ != Side::none) fill(ui_, box_.top(ui_.px(2)), ui_.color(Role::mark));
    const std::string id = name_ + ".tile";
    const char* side = StageFrame::name_of(name_side_);
    text_in(ui_, rows_.number, *side ? side : "-",
            {.role = Role::text3, .align = Align::center, .id = id, .label = ui_.tr(Phrase::empty_stream)});
    const Partial none = frame_.trace.stream_after(frame_.order.at(slot_).stream, 0);
    draw_value(rows_.m, "m", Role::m, none.m, true, false);
    draw_value(rows_.l, "l", Role::l, none.l, true, false);
    draw_value(rows_.S, "S", Role::S, none.S_ln, true, false);
    draw_never_read();
  }

  Ui& ui_;
  const StageFrame& frame_;
  std::int64_t tile_, slot_;
  Side side_, name_side_;
  Rect box_;
  CardRows rows_;
  std::string name_;
};

void draw_row_names(Ui& ui, const StageFrame& frame) {
  const float x0 = frame.columns.gutter_left();
  const CardRows rows =
      layout_card({x0, frame.rows.cards.y0, frame.columns.left() - ui.u, frame.rows.cards.y1}, frame.rows,
                  ui.F, frame.keeps_m_and_l());
  text_in(ui, rows.number, ui.tr(Phrase::tile), {.font = {FontSize::S}, .role = Role::text3});
  draw_symbol(ui, rows.m, "m", Role::m);
  draw_symbol(ui, rows.l, "l", Role::l);
  draw_symbol(ui, rows.S, "S", Role::S);
  draw_symbol(ui, rows.o, "o", Role::o);
}

}  // namespace

void draw_cards(Ui& ui, const StageFrame& frame) {
  if (frame.rows.has_gutter) draw_row_names(ui, frame);
  for (std::int64_t slot = frame.columns.first(); slot < frame.columns.end(); ++slot)
    Card(ui, frame, slot).draw();
}

}  // namespace fdlab

// Under the lanes, on the same time axis: how many SMs have work, and how fast all blocks read together. The model is
// dashed, a recording solid.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

struct Curve {
  Phrase title;
  double SmLoad::*value;
  double scale, most;  // shown = value · scale
  int decimals;
  const char* id;
};

struct CurvePlace {
  Rect title, plot;
  PlotAxis value;
};

CurvePlace place_of(const Ui& ui, Rect area, double most) {
  CurvePlace place;
  place.title = area.top(std::round(1.1f * ui.F));
  place.plot = {area.x0, place.title.y1 + ui.u / 2, area.x1, area.y1};
  const int ticks = place.plot.height() > 4 * ui.F ? 4 : 2;
  place.value = axis_from_zero(most, ticks, place.plot.y1 - 1, place.plot.y0);
  place.value.high = std::max(place.value.high, most * 1.25);  // a name fits above the highest curve
  return place;
}

float curve_thickness(const Ui& ui) { return 1.6f * std::max(1.0f, ui.scale); }

/// An open question keeps what was recorded back.
bool shows_recording(const SmFrame& frame, const SmGridFrame& grid) {
  return !frame.has_open_question && has_recorded_blocks(grid.grid);
}

void draw_axis(Ui& ui, const CurvePlace& place) {
  for (const double tick : ticks_of(place.value, place.plot.height() > 4 * ui.F ? 4 : 2)) {
    const float y = std::round(place.value.at(tick));
    line(ui, {place.plot.x0, y}, {place.plot.x1, y}, ui.color(tick == 0 ? Role::line2 : Role::line));
  }
}

/// Dashes follow the pixels; where the curve jumps it is drawn, so that no step is lost in a gap.
void draw_series(Ui& ui, const SmFrame& frame, const CurvePlace& place, const std::vector<SmLoad>& load,
                 const Curve& curve, Role role, bool is_dashed) {
  const int columns = std::max(1, static_cast<int>(place.plot.width()));
  const int dash = static_cast<int>(ui.px(5)), pitch = dash + static_cast<int>(ui.px(4));
  std::vector<Vec2> piece;
  const auto flush = [&] {
    if (piece.size() > 1) polyline(ui, piece, ui.color(role), curve_thickness(ui));
    piece.clear();
  };
  Vec2 before{};
  for (const SmLoad& sample : sampled(load, frame.layout.time.high, columns)) {
    if (sample.us > frame.seen_until_us()) break;
    const Vec2 p{frame.layout.time.at(sample.us), place.value.at(sample.*curve.value * curve.scale)};
    const bool jumps = std::fabs(p.y - before.y) > 2;
    if (is_dashed && !jumps && static_cast<int>(p.x) % pitch >= dash) flush();
    else if (piece.empty() && jumps && before.x > 0) piece = {before, p};
    else piece.push_back(p);
    before = p;
  }
  flush();
}

double split_end_us(const SmGridFrame& grid) {
  return grid.grid.schedule.first_launch_us() + grid.grid.schedule.split.span_us;
}

/// "B 128" beside the end of the curve, clear of the name that is there already. Returns its box.
Rect draw_name(Ui& ui, const SmFrame& frame, const CurvePlace& place, const SmGridFrame& grid,
               const Curve& curve, Rect taken) {
  if (!grid.is_known) return taken;
  double most = 0;
  for (const SmLoad& load : load_of(grid.grid.schedule))
    most = std::max(most, load.*curve.value * curve.scale);
  const std::string text = fmt::format("{} {}", grid.letter, fixed_text(most, curve.decimals));
  const float width = std::ceil(text_width(ui, kSmall, text)) + 1, height = 1.1f * ui.F;
  float x = frame.layout.time.at(split_end_us(grid)) + ui.u, y = place.value.at(most) - 0.3f * height;
  if (x + width > place.plot.x1) {
    x = place.plot.x1 - width;
    y = place.value.at(most) - height - ui.px(2);
    if (y < place.plot.y0) y = place.value.at(most) + ui.px(3);
  }
  y = std::clamp(y, place.plot.y0, place.plot.y1 - height);
  const Rect box{x, y, x + width, y + height};
  if (box.overlaps(taken)) x = taken.x0 - width - ui.u;
  const float ground = std::min(y + height, place.plot.y1 - ui.px(2));
  fill(ui, {x, y, x + width, ground}, faded(ui.color(Role::bg), 0.75f));  // the other curve passes below
  text_in(ui, {x, y, x + width, y + height}, text,
          {.font = kSmall,
           .role = grid.letter == 'A' ? Role::text2 : Role::text,
           .id = fmt::format("curve.{}.{}", curve.id, grid.letter)});
  return {x, y, x + width, y + height};
}

constexpr float kKeyLine = 12;

/// Which lines are dashed and which are not, from x on in the row of a title; returns where the next may begin.
float draw_key_part(Ui& ui, Rect row, float x, Phrase name, bool is_dashed, const std::string& id) {
  const float y = std::round((row.y0 + row.y1) / 2), length = ui.px(kKeyLine);
  const auto draw = is_dashed ? dashed_line : line;
  draw(ui, {x, y}, {x + length, y}, ui.color(Role::text2), curve_thickness(ui));
  x += length + ui.u / 2;
  const std::string text = ui.tr(name);
  const float width = std::ceil(text_width(ui, kSmall, text)) + 1;
  text_in(ui, {x, row.y0, x + width, row.y1}, text, {.font = kSmall, .role = Role::text3, .id = id});
  return x + width + ui.u;
}

/// The row of the title between its two texts says what the dashes mean, if there is room.
void draw_key(Ui& ui, Rect row, const std::string& id) {
  const float needed = text_width(ui, kSmall, ui.tr(Phrase::model)) +
                       text_width(ui, kSmall, ui.tr(Phrase::recording)) + 2 * ui.px(kKeyLine) + 2 * ui.u + 2;
  if (row.width() < needed) return;
  const float x = draw_key_part(ui, row, row.x0, Phrase::model, true, id + ".model");
  draw_key_part(ui, row, x, Phrase::recording, false, id + ".recording");
}

void draw_curve(Ui& ui, const SmFrame& frame, Rect area, const Curve& curve) {
  const CurvePlace place = place_of(ui, area, curve.most);
  draw_axis(ui, place);
  for (const SmGridFrame* grid : {&frame.a, &frame.b}) {
    const Role role = grid->letter == 'A' ? Role::text3 : Role::text;
    draw_series(ui, frame, place, load_of(grid->grid.schedule), curve, role, true);
    if (shows_recording(frame, *grid))
      draw_series(ui, frame, place, load_of(blocks_of(grid->grid, true)), curve, role, false);
  }
  Rect name{};
  for (const SmGridFrame* grid : {&frame.a, &frame.b}) name = draw_name(ui, frame, place, *grid, curve, name);
  fill(ui, place.title, ui.color(Role::bg));  // the playhead passes below
  text_in(ui, place.title, ui.tr(curve.title),
          {.font = kSmall, .role = Role::text2, .id = std::string("curve.") + curve.id});
  const std::string most = say(ui, Phrase::at_most, fixed_text(curve.most, curve.decimals));
  if (shows_recording(frame, frame.a) || shows_recording(frame, frame.b))
    draw_key(ui,
             {place.title.x0 + std::ceil(text_width(ui, kSmall, ui.tr(curve.title))) + ui.u, place.title.y0,
              place.title.x1 - std::ceil(text_width(ui, kSmall, most)) - ui.u, place.title.y1},
             std::string("curve.key.") + curve.id);
  text_in(ui, place.title, most,
          {.font = kSmall,
           .role = Role::text3,
           .align = Align::right,
           .id = std::string("curve.most.") + curve.id});
}

}  // namespace

void draw_sm_curves(Ui& ui, const SmFrame& frame) {
  const auto sms = static_cast<double>(frame.scene.gpu.sms);
  const double ceiling_tb_s = frame.scene.b.schedule.ceiling_gb_s * 1e-3;
  draw_curve(ui, frame, frame.layout.curves[0], {Phrase::sms_with_work, &SmLoad::busy_sms, 1, sms, 0, "sms"});
  draw_curve(ui, frame, frame.layout.curves[1],
             {Phrase::bandwidth_tb_s, &SmLoad::gb_s, 1e-3, ceiling_tb_s, 2, "bandwidth"});
}

}  // namespace fdlab

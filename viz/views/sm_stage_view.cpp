// A GPU scene: one block a head above split-KV on the same input, and everything that has time on one axis.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

void give_lanes(SmGridFrame& frame, const Gpu& gpu) {
  frame.sm_of_lane = lanes_of(frame.blocks, gpu.launch_order);
  frame.lane_of_sm.resize(frame.sm_of_lane.size());
  for (std::size_t lane = 0; lane < frame.sm_of_lane.size(); ++lane)
    frame.lane_of_sm[static_cast<std::size_t>(frame.sm_of_lane[lane])] = static_cast<std::int64_t>(lane);
}

SmGridFrame frame_of(const AppState& state, const Gpu& gpu, const GpuGrid& grid, const SmGridLayout& place,
                     char letter, double call_us, bool has_question) {
  const bool is_recorded = state.shows_recording && has_recorded_blocks(grid) && !has_question;
  SmGridFrame frame{grid, place, letter, is_recorded, false, blocks_of(grid, is_recorded), {}, {}, {}, {}};
  give_lanes(frame, gpu);
  frame.moment = moment_of(grid.schedule, call_us);
  frame.is_known = !has_question || frame.moment.phase == LaunchPhase::done;
  frame.load = {call_us, static_cast<double>(frame.moment.busy_sms), frame.moment.gb_s};
  if (!is_recorded) return frame;
  frame.load = {call_us, 0, 0};
  for (const SmLoad& load : load_of(frame.blocks))
    if (load.us <= call_us) frame.load = load;
  return frame;
}

std::string heads_text(const Ui& ui, const SmFrame& frame) {
  const GpuSceneSpec& spec = frame.scene.spec;
  const std::string heads =
      spec.batch == 1 ? std::to_string(spec.kv_heads) : fmt::format("{} × {}", spec.batch, spec.kv_heads);
  return say(ui, spec.is_ragged && spec.batch > 1 ? Phrase::sm_title_ragged : Phrase::sm_title,
             frame.scene.gpu.name, frame.scene.gpu.sms, heads, count_text(spec.kv_len));
}

void draw_title(Ui& ui, const SmFrame& frame) {
  Rect row = frame.layout.title;
  const MeasuredLaunch* measured = frame.b.is_recorded ? &*frame.scene.b.measured : nullptr;
  row.x1 -= draw_badge(ui, row, measured, "stage.badge") + 2 * ui.u;
  text_in(ui, row, heads_text(ui, frame), {.id = "stage.title"});
}

// ---- A line over each board: what it is, and the numbers of its run

std::string name_of_grid(const Ui& ui, const SmGridFrame& grid) {
  const std::int64_t splits = grid.grid.schedule.num_splits;
  if (splits > 1) return say(ui, Phrase::grid_splits, splits, count_text(grid.grid.blocks()));
  return say(ui, Phrase::grid_one_block, count_text(grid.grid.blocks()));
}

/// From the right: a number with its unit behind it. Returns the left end.
float draw_figure(Ui& ui, Rect row, const std::string& number, const std::string& unit,
                  const SmGridFrame& grid, const char* what, Font font) {
  const std::string id = std::string("grid.") + grid.letter + "." + what;
  const float unit_width = std::ceil(text_width(ui, kSmall, unit)) + 1;
  const float number_width = std::ceil(text_width(ui, font, number)) + 1;
  const float baseline = row.y0 + baseline_in(ui, font, row.height());
  text_at(ui, {row.x1 - unit_width, baseline}, unit, {.font = kSmall, .role = Role::text3});
  text_at(ui, {row.x1 - unit_width - ui.u / 2 - number_width, baseline}, number,
          {.font = font, .id = id, .label = unit});
  return row.x1 - unit_width - number_width - 4.5f * ui.u;
}

void draw_grid_head(Ui& ui, const SmFrame& frame, const SmGridFrame& grid) {
  const Rect row = grid.place.head;
  fill(ui, {row.x0, row.y0 + ui.px(1), row.x1, row.y1 - ui.px(1)},
       ui.color(Role::bg));  // the playhead passes below
  const double time_us = grid.is_recorded ? grid.grid.measured->time_us : grid.shown_us(frame.call_us);
  Rect rest = row;
  rest.x1 = draw_figure(ui, rest, fixed_text(time_us, 1),
                        ui.tr(grid.is_known ? Phrase::us_call : Phrase::us_so_far), grid, "time",
                        {FontSize::L, true});
  rest.x1 = draw_figure(ui, rest, fixed_text(grid.load.gb_s, 0), "GB/s", grid, "gb_s", {.bold = true});
  rest.x1 = draw_figure(ui, rest, fixed_text(grid.load.busy_sms, 0),
                        say(ui, Phrase::of_sms, frame.scene.gpu.sms), grid, "busy", {.bold = true});

  const float baseline = row.y0 + baseline_in(ui, {.bold = true}, row.height());
  const std::string letter(1, grid.letter);
  const float letter_width = text_at(ui, {row.x0, baseline}, letter, {.font = {.bold = true}});
  const Rect name{row.x0 + letter_width + 1.5f * ui.u, row.y0, rest.x1, row.y1};
  std::string text = name_of_grid(ui, grid);
  if (text_width(ui, kSmall, text) > name.width())
    text = say(ui, Phrase::grid_blocks, count_text(grid.grid.blocks()));
  text_in(ui, name, text, {.font = kSmall, .role = Role::text2, .id = "grid." + letter + ".name"});
}

// ---- Under the boards and the lanes

void draw_legend(Ui& ui, const SmFrame& frame) {
  Rect row = frame.layout.legend;
  const auto put = [&](const std::string& text, Role role) {
    const float width = std::ceil(text_width(ui, kSmall, text)) + 1;
    if (row.x0 + width > row.x1) return false;
    text_in(ui, row.left(width), text, {.font = kSmall, .role = role});
    row.x0 += width + ui.u;
    return true;
  };
  if (!put(ui.tr(Phrase::kv_head), Role::text3)) return;
  const float side = std::round(0.55f * ui.F);
  const std::int64_t heads = std::min<std::int64_t>(frame.scene.spec.kv_heads, kCategories);
  for (std::int64_t head = 0; head < heads; ++head) {
    if (row.width() < side + 2 * ui.F) return;
    const Rect box =
        snapped(Rect{row.x0, row.center().y - side / 2, row.x0 + side, row.center().y + side / 2});
    fill(ui, box, categorical(ui.theme, head));
    row.x0 = box.x1 + ui.u / 2;
    put(std::to_string(head), Role::text2);
  }
  if (frame.scene.spec.kv_heads > heads) put("…", Role::text3);
  if (row.width() < side + 3 * ui.F) return;
  row.x0 += ui.u;
  const Rect box = snapped(Rect{row.x0, row.center().y - side / 2, row.x0 + side, row.center().y + side / 2});
  fill(ui, box, ui.color(Role::card));
  outline(ui, box, ui.color(Role::line2));
  row.x0 = box.x1 + ui.u / 2;
  put(ui.tr(Phrase::idle), Role::text2);
}

void draw_time_labels(Ui& ui, const SmFrame& frame) {
  const Rect row = frame.layout.time_labels;
  const std::vector<double> ticks = ticks_of(frame.layout.time, 5);
  const auto text_of = [&](double tick) {
    return fmt::format("{:g}{}", tick, tick == ticks.back() ? " µs" : "");
  };
  const float last_x0 = row.x1 - text_width(ui, kSmall, text_of(ticks.back())) - ui.u;
  for (const double tick : ticks) {
    if (tick > frame.seen_until_us()) break;  // the scale would give the answer away
    const bool is_last = tick == ticks.back();
    const float x = frame.layout.time.at(tick), x_line = std::min(x, row.x1 - 1);
    line(ui, {x_line, row.y0}, {x_line, row.y0 + ui.px(4)}, ui.color(Role::line2));
    const std::string text = text_of(tick);
    if (!is_last && x + text_width(ui, kSmall, text) / 2 > last_x0) continue;
    const float width = std::ceil(text_width(ui, kSmall, text)) + 1;
    const float x0 = tick == 0 ? x : is_last ? x - width : x - width / 2;
    text_over_playhead(ui, frame, {x0, row.y0 + ui.px(4), x0 + width, row.y1}, text,
                       {.font = kSmall, .role = Role::text3}, Role::bg);
  }
}

void draw_playhead(Ui& ui, const SmFrame& frame) {
  const float x = frame.playhead, top = frame.layout.grids[0].lanes.area.y0, foot = frame.layout.curves[1].y1;
  line(ui, {x, top}, {x, foot}, ui.color(Role::mark), ui.px(2));
  note_value(ui, "playhead", "µs", fixed_text(frame.call_us, 1), {x - 1, top, x + 1, foot});
}

/// Pressing anywhere in what has time goes there.
void scrub(Ui& ui, const SmFrame& frame) {
  const SmStageLayout& layout = frame.layout;
  const Rect lanes{layout.grids[0].lanes.area.x0, layout.grids[0].lanes.area.y0, layout.curves[1].x1,
                   layout.curves[1].y1};
  const Hit hit = hit_area(ui, "stage.time", lanes, false);
  if (!hit.is_held) return;
  const double us = layout.time.value_at(ui.mouse.position.x);
  const StepClock& clock = frame.scene.clock;
  const auto step = static_cast<std::int64_t>(std::llround(us / clock.slice_us));
  ui.send(CommandId::go_step, std::clamp<std::int64_t>(step, 0, clock.last_step));
}

}  // namespace

bool has_open_question(const AppState& state, const Scene& scene) {
  if (!scene.lesson.stops[scene.stop].gate) return false;
  const auto answer = state.gates.find(state.stop);
  return answer == state.gates.end() || !answer->second.is_open;
}

SmFrame::SmFrame(const Ui& ui, const AppState& state, const Scene& s, Rect area)
    : scene(s.gpu()),
      call_us(scene.clock.time_us(state.step)),
      has_open_question(fdlab::has_open_question(state, s)),
      layout(layout_sm_stage({area, ui.F, scene.gpu.sms, scene.clock.end_us})),
      a(frame_of(state, scene.gpu, scene.a, layout.grids[0], 'A', call_us, has_open_question)),
      b(frame_of(state, scene.gpu, scene.b, layout.grids[1], 'B', call_us, has_open_question)),
      playhead(std::round(layout.time.at(call_us))) {}

Color color_of(const Ui& ui, const SmFrame& frame, const SmBlock& block) {
  const std::int64_t group = frame.scene.kernel.block_per_query_head ? frame.scene.spec.group : 1;
  return categorical(ui.theme, block.head / group);
}

void text_over_playhead(Ui& ui, const SmFrame& frame, Rect box, const std::string& text,
                        const TextStyle& style, Role behind) {
  const float width = std::ceil(text_width(ui, style.font, text)) + 1, half = 0.5f * ui.F;
  const float x0 = style.align == Align::center ? box.center().x - width / 2 : box.x0;
  const Rect words = snapped(Rect{x0 - ui.u / 2, std::max(box.y0, box.center().y - half),
                                  x0 + width + ui.u / 2, std::min(box.y1, box.center().y + half)});
  if (words.x0 < frame.playhead + ui.px(2) && frame.playhead - ui.px(2) < words.x1)
    fill(ui, words, ui.color(behind));
  text_in(ui, box, text, style);
}

float draw_badge(Ui& ui, Rect box, const MeasuredLaunch* measured, std::string_view id, Align align) {
  const std::string text = measured ? say(ui, Phrase::measured_on, measured->device, measured->date)
                                    : std::string(ui.tr(Phrase::model));
  const float mark = ui.px(9), width = std::ceil(text_width(ui, kSmall, text)) + mark + 3.5f * ui.u;
  const float half = std::round(0.52f * ui.F);
  const float x0 = align == Align::right ? box.x1 - width : box.x0;
  const Rect frame = snapped(Rect{x0, box.center().y - half, x0 + width, box.center().y + half});
  if (measured) outline(ui, frame, ui.color(Role::line2), 1, ui.px(3));
  else dashed_outline(ui, frame, ui.color(Role::line2));
  const Vec2 center{frame.x0 + ui.u + mark / 2, frame.center().y};
  if (measured) circle(ui, center, mark / 2, ui.color(Role::text2));
  else ring(ui, center, mark / 2, ui.color(Role::text2), ui.px(2));
  text_in(ui, {center.x + mark / 2 + ui.u, frame.y0, frame.x1, frame.y1}, text,
          {.font = kSmall, .role = Role::text2, .id = id});
  if (measured && is_pointed_at(ui, frame)) tooltip(ui, frame, measured->badge());
  return width;
}

void draw_gpu_stage(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  const SmFrame frame(ui, state, scene, area);
  draw_title(ui, frame);
  for (const SmGridFrame* grid : {&frame.a, &frame.b}) {
    draw_sm_board(ui, frame, *grid);
    draw_sm_lanes(ui, frame, *grid);
  }
  draw_legend(ui, frame);
  draw_sweep(ui, frame);
  draw_playhead(ui, frame);
  draw_time_labels(ui, frame);
  for (const SmGridFrame* grid : {&frame.a, &frame.b}) draw_sm_lane_notes(ui, frame, *grid);
  draw_sm_curves(ui, frame);
  for (const SmGridFrame* grid : {&frame.a, &frame.b}) draw_grid_head(ui, frame, *grid);
  scrub(ui, frame);
}

}  // namespace fdlab

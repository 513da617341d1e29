#include <algorithm>
#include <cmath>

#include "viz/draw.h"
#include "viz/views.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

int characters_of(double value) {
  if (!std::isfinite(value)) return 3;
  const int digits = std::abs(value) < 1 ? 1 : 1 + static_cast<int>(std::log10(std::abs(value)));
  return digits + (value < 0 ? 1 : 0);
}

/// Of the widest m, l or S that can come up: no part of the row has a larger S than the row, and l counts keys.
int characters_before_point(const Trace& trace) {
  const auto tile = static_cast<double>(std::min(trace.plan().tile_size, trace.plan().kv_len));
  return std::max(
      {2, characters_of(trace.result().S_ln), characters_of(trace.min_score()), characters_of(tile)});
}

StageRequest request_of(const Ui& ui, const Scene& scene, const StageProgress& progress, Rect area) {
  return {.area = area,
          .F = ui.F,
          .has_tokens = !scene.traced().data.tokens.empty(),
          .keeps_m_and_l = scene.trace().method() != Method::lse,
          .characters_before_point = characters_before_point(scene.trace()),
          .focus_slot = progress.focus_slot()};
}

/// The stop, while its own step is shown.
const Stop* stop_shown(const AppState& state, const Scene& scene) {
  const Stop& stop = scene.lesson.stops[static_cast<std::size_t>(state.stop)];
  const auto step = step_of(stop.step, scene.scope(0));
  return step && *step == state.step ? &stop : nullptr;
}

std::vector<Referent> highlights_of(const AppState& state, const Scene& scene) {
  std::vector<Referent> things;
  const Stop* stop = stop_shown(state, scene);
  if (!stop) return things;
  for (const Expression& highlight : stop->highlight)
    if (const auto value = highlight.evaluate(scene.scope(state.step))) things.push_back(value->referent);
  return things;
}

std::int64_t named_step(const AppState& state, const Scene& scene) {
  const Stop* stop = stop_shown(state, scene);
  const auto reveal =
      stop && stop->gate ? step_of(stop->gate->reveal, scene.scope(0)) : Result<std::int64_t>(state.step);
  return reveal ? *reveal : state.step;
}

void draw_column_tints(Ui& ui, const StageFrame& frame) {
  for (std::int64_t slot = frame.columns.first(); slot < frame.columns.end(); ++slot)
    if (frame.progress.side_of_slot(slot) != Side::none)
      fill(ui, frame.column_band(slot, frame.rows.strip.y0 - ui.u, frame.strip_foot()),
           ui.tint(Role::accent_bg));
}

}  // namespace

StageFrame::StageFrame(const Ui& ui, const AppState& state, const Scene& s, Rect area)
    : scene(s),
      trace(s.trace()),
      order(trace.plan()),
      progress(trace, order, state.step),
      named(trace, order, named_step(state, s)),
      detail(trace.detail(state.step)),
      request(request_of(ui, s, progress, area)),
      rows(layout_stage(request, order, trace.tree())),
      columns(layout_columns(request, rows, order)),
      highlights(highlights_of(state, s)) {}

bool StageFrame::is_highlighted(Referent::Kind kind, std::int64_t index) const {
  return std::any_of(highlights.begin(), highlights.end(), [&](const Referent& thing) {
    return thing.kind == kind && (thing.index == index || kind == Referent::Kind::result);
  });
}

Rect StageFrame::column_band(std::int64_t slot, float y0, float y1) const {
  const float gap = columns.pitch() - columns.width();
  return columns.column(slot, y0, y1).shrunk(-std::min(std::floor(gap / 2), spacing_unit(columns.F())), 0);
}

Rect StageFrame::score_row() const {
  const float F = columns.F();
  return {columns.left(), rows.strip.y0, columns.right(), rows.strip.y0 + scaled_px(F, 16)};
}
Rect StageFrame::weight_row() const {
  const float F = columns.F(), y1 = rows.strip.y0 + scaled_px(F, 84);
  return {columns.left(), y1 - scaled_px(F, 60), columns.right(), y1};
}
float StageFrame::strip_foot() const { return rows.strip.y0 + scaled_px(columns.F(), 90); }

float StageFrame::weight_place(float share) const {
  const float most = trace.max_weight();
  return most > 0 && share > 0 ? std::min(1.0f, std::sqrt(share / most)) : 0.0f;
}

const char* StageFrame::name_of(Side side) { return side == Side::a ? "a" : side == Side::b ? "b" : ""; }

std::string StageFrame::link_of(const char* statistic, Side side) {
  const std::string name(statistic);
  return side == Side::a || side == Side::b ? name + "-" + name_of(side) : name;
}

void draw_highlight(Ui& ui, Rect r, const std::string& name) {
  outline(ui, r.grown(ui.px(2)), ui.color(Role::mark), ui.px(2));
  note_value(ui, "highlight." + name, "", "", r);
}

void draw_stage(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  const StageFrame frame(ui, state, scene, area);
  draw_title(ui, frame);
  draw_overview(ui, frame);
  draw_column_tints(ui, frame);
  draw_strip(ui, frame);
  draw_lens(ui, frame);
  draw_cards(ui, frame);
  draw_merges(ui, frame);
}

}  // namespace fdlab

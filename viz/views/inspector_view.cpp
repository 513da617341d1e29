// The inspector: the present step as a rule with its numbers, and the partials before and after it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lessons/number_text.h"
#include "lessons/part_names.h"
#include "viz/draw.h"
#include "viz/formula.h"
#include "viz/scene.h"
#include "viz/views.h"
#include "viz/views/output_bars.h"
#include "viz/views/stage_frame.h"
#include "viz/views/step_rules.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S}, kBold{FontSize::M, true};

/// A column of the table: a partial under a heading.
struct TableColumn {
  std::string heading;
  const char* id;  ///< "a", "b", "result"
  const Partial* partial;
  Side side;
  bool is_after = false;  ///< what the step made
};

class Inspector {
 public:
  Inspector(Ui& ui, const AppState& state, const Scene& scene, Rect area)
      : ui_(ui), state_(state), trace_(scene.trace()), detail_(trace_.detail(state.step)) {
    const float margin = ui.px(20);
    rest_ = {{area.x0 + margin, area.y0 + 3 * ui.u, area.x1 - margin, area.y0 + 1e6f}};
    top_ = area.y0;
  }

  float draw() {
    draw_heading();
    for (const StepRule& rule : rules_of(trace_, detail_)) draw_rule(rule);
    if (detail_.step.kind == StepKind::check) draw_check();
    else if (detail_.step.kind == StepKind::start) draw_start();
    else draw_table();
    return rest_.rest.y0 + 3 * ui_.u - top_;
  }

 private:
  bool is_chinese() const { return ui_.language == Language::zh; }
  void divider() {
    const float y = rest_.top(2 * ui_.u).y0 + ui_.u;
    line(ui_, {rest_.rest.x0, y}, {rest_.rest.x1, y}, ui_.color(Role::line));
  }

  // ---- Heading

  std::string title() const {
    const Step& step = detail_.step;
    const DecodePlan& plan = trace_.plan();
    const auto stream = [&](std::int64_t s) { return streams_name(plan, s, s + 1)[ui_.language]; };
    switch (step.kind) {
      case StepKind::start: return ui_.tr(Phrase::step_start);
      case StepKind::key:
        return say(ui_, Phrase::step_key, step.key - plan.tile(step.tile).begin + 1,
                   plan.tile(step.tile).size(), step.tile);
      case StepKind::tile_done: return say(ui_, Phrase::step_tile_done, step.tile);
      case StepKind::fold: return say(ui_, Phrase::step_fold, step.stream, step.tile);
      case StepKind::merge: {
        const auto [a, b] = trace_.tree().children(step.merge);
        return say(ui_, Phrase::step_merge, step.merge + 1, trace_.tree().num_merges(),
                   node_name(trace_, a)[ui_.language], node_name(trace_, b)[ui_.language]);
      }
      case StepKind::log_sum:
        return say(ui_, Phrase::step_log_sum, streams_name(plan, 0, step.stream)[ui_.language],
                   stream(step.stream));
      case StepKind::weigh: return say(ui_, Phrase::step_weigh, stream(step.stream));
      case StepKind::flat: return say(ui_, Phrase::step_flat, plan.num_streams);
      case StepKind::check: return ui_.tr(Phrase::step_check);
    }
    return {};
  }

  void draw_heading() {
    const std::string number =
        say(ui_, Phrase::step_of, count_text(state_.step), count_text(trace_.steps().num_steps()));
    text_in(ui_, rest_.top(line_height(ui_, kSmall)), number,
            {.font = kSmall, .role = Role::text3, .id = "inspector.step"});
    const std::string text = title();
    const float height = text_wrapped_height(ui_, rest_.rest.width(), text, {});
    text_wrapped(ui_, rest_.top(height), text, {.id = "inspector.title"});
    divider();
  }

  // ---- Rule in three tiers

  void draw_rule(const StepRule& rule) {
    const Rect symbols = rest_.top(ui_.px(28));
    const float baseline = symbols.y0 + baseline_in(ui_, {}, symbols.height());
    draw_formula(ui_, {symbols.x0, baseline}, rule.tex, formula_em(ui_, {}));
    if (rule.numbers.empty() && rule.result.empty()) return gap(ui_.px(6));
    const Rect numbers = rest_.top(ui_.px(24));
    const std::string id = std::string("rule.") + rule.id;
    float right = numbers.x1;
    if (!rule.result.empty()) {
      const float width = std::ceil(text_width(ui_, kBold, rule.result));
      const Rect cell{right - width - ui_.u, numbers.y0, right, numbers.y1};
      text_in(ui_, cell, rule.result,
              {.font = kBold, .role = rule.role, .align = Align::right, .id = id, .label = rule.id});
      link_area(ui_, cell, rule.id);
      draw_link(ui_, cell, rule.id, rule.role);
      right = cell.x0;
    }
    const bool fits = text_width(ui_, {}, rule.numbers) <= right - numbers.x0;
    text_in(ui_, {numbers.x0, numbers.y0, right, numbers.y1}, rule.numbers,
            {.font = fits ? Font{} : kSmall, .role = Role::text2, .id = id + ".numbers", .label = rule.id});
    gap(ui_.px(10));
  }
  void gap(float height) { rest_.top(height); }

  // ---- Table

  std::vector<TableColumn> columns() const {
    const Partial &a = detail_.a, &b = detail_.b, &result = detail_.result;
    switch (detail_.step.kind) {
      case StepKind::key:
        return {{ui_.tr(Phrase::before), "a", &a, Side::a},
                {say(ui_, Phrase::key_number, detail_.step.key), "b", &b, Side::b},
                {ui_.tr(Phrase::after), "result", &result, Side::only, true}};
      case StepKind::tile_done:
        return {{ui_.tr(Phrase::before), "a", &a, Side::a},
                {ui_.tr(Phrase::after), "result", &result, Side::only, true}};
      case StepKind::weigh:
        return {{ui_.tr(Phrase::before), "a", &a, Side::a},
                {"b", "b", &b, Side::b},
                {ui_.tr(Phrase::after), "result", &result, Side::only, true}};
      case StepKind::flat: return {{ui_.tr(Phrase::after), "result", &result, Side::only, true}};
      default:
        return {
            {"a", "a", &a, Side::a}, {"b", "b", &b, Side::b}, {"a ⊕ b", "result", &result, Side::only, true}};
    }
  }

  void draw_table() {
    divider();
    draw_table_title();
    columns_ = columns();
    const float names = ui_.px(44);
    const Rect r = rest_.rest;
    pitch_ = std::floor((r.width() - names) / std::max(3.0f, static_cast<float>(columns_.size())));
    first_x1_ = r.x1 - pitch_ * static_cast<float>(columns_.size() - 1);

    draw_headings();
    tint_from_ = rest_.rest.y0;
    const bool has_ml =
        std::any_of(columns_.begin(), columns_.end(), [](const TableColumn& c) { return c.partial->has_ml; });
    const bool has_o = !detail_.result.o.empty();
    tint_after(has_ml, has_o);
    if (has_ml) {
      draw_row(
          "m", Role::m, [](const Partial& p) { return p.m; }, true);
      draw_row(
          "l", Role::l, [](const Partial& p) { return p.l; }, true);
    }
    draw_row(
        "S", Role::S, [](const Partial& p) { return p.S_ln; }, false);
    if (has_o) draw_outputs();
    divider();
    draw_footer();
  }

  void draw_table_title() {
    const Rect row = rest_.top(ui_.px(24));
    text_in(ui_, row, ui_.tr(Phrase::before_after), {.font = kSmall, .role = Role::text3});
    if (!has_changes()) return;
    const std::string_view text = ui_.tr(Phrase::changed_by_step);
    const float width = std::ceil(text_width(ui_, kSmall, text)), x0 = row.x1 - width;
    if (x0 - 4 * ui_.u < row.x0 + text_width(ui_, kSmall, ui_.tr(Phrase::before_after))) return;
    text_in(ui_, {x0, row.y0, row.x1, row.y1}, text, {.font = kSmall, .role = Role::text3});
    const float side = ui_.px(8);
    fill(ui_, snapped(rect_at({x0 - side - ui_.u, row.center().y - side / 2}, side, side)),
         ui_.color(Role::accent));
  }

  Rect cell(std::size_t column, Rect row) const {
    const float x1 = first_x1_ + static_cast<float>(column) * pitch_ - ui_.px(6);
    return {x1 - pitch_ + ui_.px(8), row.y0, x1, row.y1};
  }
  Rect after_band(float y0, float y1) const {
    return {rest_.rest.x1 - pitch_ + ui_.px(4), y0, rest_.rest.x1, y1};
  }
  float row_height() const { return ui_.px(24); }

  void draw_headings() {
    const Rect row = rest_.top(row_height());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool is_after = columns_[c].is_after;
      text_in(ui_, cell(c, row), columns_[c].heading,
              {.font = is_after ? kBold : Font{},
               .role = is_after ? Role::text : Role::text2,
               .align = Align::right});
    }
    line(ui_, {row.x0, row.y1}, {row.x1, row.y1}, ui_.color(Role::line2));
    rest_.top(1);
  }

  /// A tile that is done has the numbers of its last key: nothing is new.
  bool has_changes() const { return detail_.step.kind != StepKind::tile_done; }

  /// The column of what the step made is tinted as one block.
  void tint_after(bool has_ml, bool has_o) {
    if (!has_changes()) return;
    const float rows = (has_ml ? 3.0f : 1.0f) + (has_o ? static_cast<float>(detail_.result.o.size()) : 0);
    const Rect band = after_band(tint_from_, tint_from_ + rows * row_height() + (has_o ? 1 : 0));
    fill(ui_, band, ui_.color(Role::accent_bg));
    fill(ui_, band.left(ui_.px(3)), ui_.color(Role::accent));
  }

  template <class Value>
  void draw_row(const char* statistic, Role role, Value value, bool needs_ml) {
    const Rect row = rest_.top(row_height());
    draw_symbol(ui_, row.moved(-ui_.px(8), 0), statistic, role);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const TableColumn& column = columns_[c];
      if (needs_ml && !column.partial->has_ml) continue;
      const std::string id = fmt::format("inspector.{}.{}", column.id, statistic);
      const bool is_empty = column.partial->empty;
      number_in(ui_, cell(c, row), value(*column.partial), is_empty ? 0 : 4,
                {.font = column.is_after && has_changes() ? kBold : Font{},
                 .role = is_empty          ? Role::text3
                         : column.is_after ? role
                                           : Role::text,
                 .id = id,
                 .label = statistic});
      const std::string link = StageFrame::link_of(statistic, column.side);
      link_area(ui_, cell(c, row), link);
      draw_link(ui_, cell(c, row).grown(ui_.px(1)), link, role);
    }
  }

  void draw_outputs() {
    line(ui_, {rest_.rest.x0, rest_.rest.y0}, {rest_.rest.x1, rest_.rest.y0}, ui_.color(Role::line));
    rest_.top(1);
    const Rect first = rest_.rest.top(row_height());
    draw_symbol(ui_, first.moved(-ui_.px(8), 0), "o", Role::o);
    for (std::size_t component = 0; component < detail_.result.o.size(); ++component) draw_output(component);
  }

  void draw_output(std::size_t component) {
    const Rect row = rest_.top(row_height());
    text_in(ui_, {row.x0, row.y0, row.x0 + ui_.px(36), row.y1}, std::to_string(component),
            {.font = kSmall, .role = Role::text3, .align = Align::right});
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const TableColumn& column = columns_[c];
      const std::string id = fmt::format("inspector.{}.o.{}", column.id, component);
      if (column.partial->empty) {
        if (component == 0)
          text_in(ui_, cell(c, row), ui_.tr(Phrase::never_read),
                  {.font = kSmall, .role = Role::text3, .align = Align::right, .id = id, .label = "o"});
        continue;
      }
      if (component >= column.partial->o.size()) continue;
      number_in(ui_, cell(c, row), column.partial->o[component], 4,
                {.role = column.is_after ? Role::o : Role::text, .id = id, .label = "o"});
      const std::string link = StageFrame::link_of("o", column.side);
      link_area(ui_, cell(c, row), link);
      draw_link(ui_, cell(c, row).grown(ui_.px(1)), link, Role::o);
    }
  }

  void draw_footer() {
    const std::int64_t d = trace_.v_head_dim();
    draw_note(say(ui_, Phrase::partial_size, d + 2, 4 * (d + 2), d + 1, 4 * (d + 1)), "inspector.size");
  }
  void draw_note(const std::string& text, std::string_view id) {
    const float height = text_wrapped_height(ui_, rest_.rest.width(), text, kSmall);
    text_wrapped(ui_, rest_.top(height), text, {.font = kSmall, .role = Role::text3, .id = id});
  }

  // ---- First and last step

  void draw_start() {
    divider();
    const std::string_view text = ui_.tr(Phrase::start_note);
    const float height = text_wrapped_height(ui_, rest_.rest.width(), text, {});
    text_wrapped(ui_, rest_.top(height), text, {.role = Role::text2, .id = "inspector.note"});
  }

  void draw_check() {
    const auto summary = trace_.check();
    if (!summary) return draw_note(ui_.tr(Phrase::no_reference), "inspector.no-reference");
    draw_error(ui_.tr(Phrase::largest_error_o), summary->max_abs_error, "check.o");
    draw_error(ui_.tr(Phrase::error_S), summary->lse_abs_error, "check.S");
    divider();
    draw_check_table(*summary);
  }
  void draw_error(std::string_view name, double error, std::string_view id) {
    const Rect row = rest_.top(ui_.px(28));
    const bool is_bad = !std::isfinite(error);
    text_in(ui_, row, name, {.role = Role::text2});
    text_in(ui_, row, scientific_text(error, 1),
            {.font = kBold,
             .role = is_bad ? Role::bad : Role::text,
             .align = Align::right,
             .id = id,
             .label = name});
  }

  void draw_check_table(const CheckSummary& summary) {
    const Reference& reference = *trace_.reference();
    const float names = ui_.px(44);
    pitch_ = std::floor((rest_.rest.width() - names) / 3);
    first_x1_ = rest_.rest.x1 - 2 * pitch_;
    const Rect heading = rest_.top(row_height());
    const Phrase headings[] = {Phrase::found, Phrase::reference, Phrase::difference};
    for (std::size_t c = 0; c < 3; ++c)
      text_in(ui_, cell(c, heading), ui_.tr(headings[c]),
              {.font = kSmall, .role = Role::text2, .align = Align::right});
    line(ui_, {heading.x0, heading.y1}, {heading.x1, heading.y1}, ui_.color(Role::line2));
    rest_.top(1);

    draw_check_row("S", Role::S, "S", detail_.result.S_ln, reference.lse_ln, summary.lse_abs_error, true,
                   false);
    for (std::size_t c = 0; c < detail_.result.o.size(); ++c) {
      const double found = detail_.result.o[c], expected = reference.o[c];
      draw_check_row(c == 0 ? "o" : "", Role::o, fmt::format("o.{}", c), found, expected,
                     summary.abs_errors[c], false, static_cast<std::int64_t>(c) == summary.worst);
    }
  }
  void draw_check_row(const char* symbol, Role role, const std::string& name, double found, double expected,
                      double error, bool is_statistic, bool is_worst) {
    const Rect row = rest_.top(row_height());
    draw_symbol(ui_, *symbol ? row.moved(-ui_.px(8), 0) : Rect{}, symbol, role);
    if (!is_statistic)
      text_in(ui_, {row.x0, row.y0, row.x0 + ui_.px(36), row.y1}, name.substr(2),
              {.font = kSmall, .role = Role::text3, .align = Align::right});
    if (is_worst) outline(ui_, row.shrunk(-ui_.u, 0), ui_.color(Role::mark), ui_.px(1));
    const std::string id = "check." + name;
    number_in(ui_, cell(0, row), found, 4, {.role = role, .id = id + ".found", .label = name});
    number_in(ui_, cell(1, row), expected, 4, {.id = id + ".reference", .label = name});
    text_in(ui_, cell(2, row), scientific_text(error, 1),
            {.role = Role::text2, .align = Align::right, .id = id + ".error", .label = name});
  }

  Ui& ui_;
  const AppState& state_;
  const Trace& trace_;
  StepDetail detail_;
  Cutter rest_;
  float top_ = 0, pitch_ = 0, first_x1_ = 0, tint_from_ = 0;
  std::vector<TableColumn> columns_;
};

}  // namespace

float draw_inspector(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  return Inspector(ui, state, scene, area).draw();
}

}  // namespace fdlab

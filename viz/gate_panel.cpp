#include "viz/gate_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/gate.h"
#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/prose.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

/// One pass: measures, and draws if it is told to.
class GateWriter {
 public:
  GateWriter(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, GateForm form, Rect box,
             bool draws)
      : ui_(ui), scene_(scene), gate_(gate), form_(form), draws_(draws), pad_(2.5f * ui.u) {
    if (const auto at = state.gates.find(state.stop); at != state.gates.end()) answer_ = at->second;
    const auto reveal = step_of(gate.reveal, scene.scope(0));
    reveal_step_ = reveal ? *reveal : 0;
    column_ = {box.x0 + pad_, box.y0 + 1.5f * ui.u, box.x1 - pad_, box.y1};
  }

  float write() {
    const float top = column_.y0;
    answer_.is_open ? write_answered() : write_question();
    return column_.y0 - top + 3.5f * ui_.u;
  }

 private:
  void heading(const std::string& text) {
    const float height = line_height(ui_, kSmall);
    if (draws_)
      text_in(ui_, column_.top(height), text, {.font = kSmall, .role = Role::text3, .id = "gate.heading"});
    column_.y0 += height + ui_.u / 2;
  }

  void prose(const std::string& markdown, std::string_view id, Font font = {}) {
    const ProseContext context{scene_.scope(reveal_step_)};
    const ProseStyle style{.font = font, .id = id};
    const Prose parsed = parse_prose(markdown);
    column_.y0 += draws_ ? draw_prose(ui_, parsed, column_, context, style)
                         : prose_height(ui_, parsed, column_.width(), context, style);
  }

  void write_question() {
    heading(ui_.tr(Phrase::predict_first));
    prose(gate_.ask[ui_.language], "gate.ask");
    column_.y0 += 1.5f * ui_.u;
    const float height = button_height(ui_);
    if (draws_) write_controls(column_.top(height));
    column_.y0 += height;
  }

  void write_controls(Rect row) {
    Cutter cut{row};
    const TextField field =
        text_field(ui_, "gate.input", cut.left(std::round(5 * ui_.F)), {}, ui_.tr(Phrase::type_a_number));
    cut.left(1.5f * ui_.u);
    ButtonStyle check{.label = ui_.tr(Phrase::check_answer), .is_accent = true};
    ButtonStyle skip{.label = ui_.tr(Phrase::skip), .is_plain = true};
    const bool is_checked = button(ui_, "gate.check", cut.left(button_width(ui_, check)), check);
    cut.left(ui_.u);
    const bool is_skipped = button(ui_, "gate.skip", cut.left(button_width(ui_, skip)), skip);
    if (is_checked || field.was_entered) ui_.commands.push_back({CommandId::gate_check, 0, field.text});
    if (is_skipped) ui_.send(CommandId::gate_skip);
  }

  void write_answered() {
    const auto answers = answers_of(gate_, scene_.scope(reveal_step_), ui_.language);
    if (!answers) return;
    const auto verdict =
        answer_.predicted ? std::optional(judge(gate_, *answers, *answer_.predicted)) : std::nullopt;
    if (form_ == GateForm::full) {
      heading(heading_of(verdict));
      write_number_line(*answers);
    } else {
      write_one_line(*answers);
    }
    prose(verdict ? reply_to(gate_, *verdict, ui_.language) : gate_.right[ui_.language], "gate.reply",
          kSmall);
  }

  /// Names the rule that the answer follows.
  std::string heading_of(const std::optional<GateVerdict>& verdict) const {
    if (!verdict) return ui_.tr(Phrase::predict_first);
    const std::string& name = name_of(gate_, *verdict, ui_.language);
    return name.empty() ? ui_.tr(Phrase::your_prediction)
                        : fmt::format(fmt::runtime(ui_.tr(Phrase::prediction_is)), name);
  }

  std::string you_text() const {
    return fmt::format("{} {}", ui_.tr(Phrase::you), short_text(*answer_.predicted));
  }
  std::string engine_text(const GateAnswers& answers) const {
    return fmt::format("{} {}", ui_.tr(Phrase::engine), answers.right.text);
  }

  // ○ you 0.5   ● engine 0.5601
  void write_one_line(const GateAnswers& answers) {
    const float height = line_height(ui_, {});
    Cutter cut{column_.top(height)};
    column_.y0 += height + ui_.u / 2;
    if (!draws_) return;
    const float radius = ui_.px(6), mark = 2 * radius + ui_.u;
    const auto put = [&](const std::string& text, Role role, std::string_view id, bool is_solid) {
      const Vec2 center{cut.left(mark).x0 + radius, std::round(cut.rest.center().y)};
      is_solid ? circle(ui_, center, radius - 0.5f, ui_.color(Role::text))
               : ring(ui_, center, radius, ui_.color(Role::text), ui_.px(2));
      text_in(ui_, cut.left(std::ceil(text_width(ui_, {}, text)) + 1), text, {.role = role, .id = id});
      cut.left(3 * ui_.u);
    };
    if (answer_.predicted) put(you_text(), Role::text2, "gate.you", false);
    put(engine_text(answers), Role::text, "gate.engine", true);
  }

  // Predicted is hollow, the engine's is solid.
  void write_number_line(const GateAnswers& answers) {
    const float height = std::round(2.9f * ui_.F);
    const Rect area = column_.top(height);
    column_.y0 += height + ui_.u;
    if (!draws_) return;
    const float y = std::round(area.y0 + 1.5f * ui_.F), inset = ui_.u;
    const Rect axis{area.x0 + inset, y, area.x1 - inset, y};
    line(ui_, {axis.x0, y}, {axis.x1, y}, ui_.color(Role::line2));
    for (int i = 0; i <= 4; ++i) {
      const float x = axis.x0 + axis.width() * static_cast<float>(i) / 4;
      line(ui_, {x, y - ui_.px(4)}, {x, y + ui_.px(5)}, ui_.color(Role::line2));
    }
    const float foot = y + baseline_in(ui_, kSmall, line_height(ui_, kSmall)) + ui_.px(5);
    text_at(ui_, {axis.x0, foot}, short_text(gate_.low), {.font = kSmall, .role = Role::text3});
    text_at(ui_, {axis.x1, foot}, short_text(gate_.high),
            {.font = kSmall, .role = Role::text3, .align = Align::right});

    const double right = answers.right.value.number.value_or(0);
    const std::string engine = engine_text(answers);
    const float radius = ui_.px(6), engine_x = x_of(axis, right);
    if (answer_.predicted) {
      const float you_x = x_of(axis, *answer_.predicted);
      ring(ui_, {you_x, y}, radius, ui_.color(Role::text), ui_.px(2));
      write_labels(area, you_text(), you_x, engine, engine_x);
    } else {
      place_label(area, engine, engine_x, Role::text, "gate.engine");
    }
    circle(ui_, {engine_x, y}, radius - 0.5f, ui_.color(Role::text));
  }

  float x_of(Rect axis, double value) const {
    const double share = (value - gate_.low) / (gate_.high - gate_.low);
    return std::round(axis.x0 + axis.width() * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }

  Rect place_label(Rect area, const std::string& text, float x, Role role, std::string_view id) {
    const float width = std::ceil(text_width(ui_, kSmall, text)) + 1;
    const float left = std::round(std::clamp(x - width / 2, area.x0, area.x1 - width));
    const Rect r{left, area.y0, left + width, area.y0 + line_height(ui_, kSmall)};
    text_in(ui_, r, text, {.font = kSmall, .role = role, .id = id});
    return r;
  }

  // Side by side when the two points are close, in their order on the line.
  void write_labels(Rect area, const std::string& you, float you_x, const std::string& engine,
                    float engine_x) {
    const float you_width = text_width(ui_, kSmall, you), engine_width = text_width(ui_, kSmall, engine),
                gap = 2 * ui_.u;
    const float apart = (you_width + engine_width) / 2 + gap,
                push = std::max(0.0f, apart - std::fabs(you_x - engine_x)) / 2;
    const float sign = you_x <= engine_x ? -1.0f : 1.0f;
    float you_at = you_x + sign * push, engine_at = engine_x - sign * push;
    // Kept inside as a pair.
    const float over_left =
        std::max(0.0f, area.x0 - std::min(you_at - you_width / 2, engine_at - engine_width / 2));
    const float over_right =
        std::max(0.0f, std::max(you_at + you_width / 2, engine_at + engine_width / 2) - area.x1);
    if (push > 0) you_at += over_left - over_right, engine_at += over_left - over_right;
    place_label(area, you, you_at, Role::text2, "gate.you");
    place_label(area, engine, engine_at, Role::text, "gate.engine");
  }

  Ui& ui_;
  const Scene& scene_;
  const Gate& gate_;
  GateForm form_;
  bool draws_;
  float pad_;
  GateAnswer answer_;
  std::int64_t reveal_step_ = 0;
  Rect column_;
};

}  // namespace

float gate_height(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, GateForm form,
                  float width) {
  return std::round(GateWriter(ui, state, scene, gate, form, {0, 0, width, 0}, false).write());
}

void draw_gate(Ui& ui, const AppState& state, const Scene& scene, const Gate& gate, GateForm form, Rect box) {
  fill(ui, box, ui.color(Role::raised));
  fill(ui, box.left(ui.px(3)), ui.color(Role::accent));
  GateWriter(ui, state, scene, gate, form, box, true).write();
}

}  // namespace fdlab

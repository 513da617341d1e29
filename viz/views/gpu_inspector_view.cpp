// Beside a GPU scene: its controls, what was predicted and measured, the four ratios, and what the split rules take.
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

class GpuInspector {
 public:
  GpuInspector(Ui& ui, const AppState& state, const Scene& scene, Rect area)
      : ui_(ui), lesson_(scene), scene_(scene.gpu()), top_(area.y0) {
    const float pad = 3 * ui.u;
    column_ = {area.x0 + pad, area.y0 + 2.5f * ui.u, area.x1 - pad, area.y1};
    is_hidden_ = has_open_question(state, scene);
  }

  float draw() {
    column_.y0 += draw_gpu_controls(ui_, lesson_, column_) + 2 * ui_.u;
    draw_times();
    draw_ratios();
    draw_rules();
    return column_.y0 + 2 * ui_.u - top_;
  }

 private:
  Rect row(float height_F) {
    const float height = std::round(height_F * ui_.F);
    column_.y0 += height;
    return {column_.x0, column_.y0 - height, column_.x1, column_.y0};
  }
  void gap() { column_.y0 += 2 * ui_.u; }
  void rule_line() {
    line(ui_, {column_.x0, column_.y0}, {column_.x1, column_.y0}, ui_.color(Role::line));
    column_.y0 += ui_.u;
  }
  void heading(Phrase phrase) { text_in(ui_, row(1.5f), ui_.tr(phrase), {.font = {.bold = true}}); }

  // ---- Tables of A and B

  void table_head(Phrase title) {
    rule_line();
    const Rect r = row(1.5f);
    text_in(ui_, r, ui_.tr(title), {.font = {.bold = true}});
    text_in(ui_, value_box(r, 0), "A", {.font = kSmall, .role = Role::text3, .align = Align::right});
    text_in(ui_, value_box(r, 1), "B", {.font = kSmall, .role = Role::text3, .align = Align::right});
  }
  Rect value_box(Rect r, int column) const {
    const float width = std::round(3.5f * ui_.F), x1 = r.x1 - static_cast<float>(1 - column) * width;
    return {x1 - width, r.y0, x1, r.y1};
  }
  void table_row(std::string_view name, const std::string& a, const std::string& b, const std::string& id) {
    const Rect r = row(1.15f);
    text_in(ui_, {r.x0, r.y0, value_box(r, 0).x0, r.y1}, name, {.font = kSmall, .role = Role::text2});
    text_in(ui_, value_box(r, 0), a, {.font = kSmall, .align = Align::right, .id = "table." + id + ".a"});
    text_in(ui_, value_box(r, 1), b, {.font = kSmall, .align = Align::right, .id = "table." + id + ".b"});
  }

  std::string us(double time_us) const { return fixed_text(time_us, 1); }
  const char* hidden() const { return "–"; }

  void draw_times() {
    table_head(Phrase::time_us);
    const GpuGrid &a = scene_.a, &b = scene_.b;
    const auto predicted = [&](const GpuGrid& g) { return is_hidden_ ? hidden() : us(g.predicted_us()); };
    const auto measured = [&](const GpuGrid& g) {
      return is_hidden_ || !g.measured ? hidden() : us(g.measured->time_us);
    };
    const auto residual = [&](const GpuGrid& g) {
      if (is_hidden_ || !g.measured) return std::string(hidden());
      const double share = g.predicted_us() / g.measured->time_us - 1;
      return (share > 0 ? "+" : "") + percent_text(share, 1, ui_.language);
    };
    table_row(ui_.tr(Phrase::predicted), predicted(a), predicted(b), "predicted");
    table_row(ui_.tr(Phrase::measured), measured(a), measured(b), "measured");
    table_row(ui_.tr(Phrase::residual), residual(a), residual(b), "residual");
    if (const auto& source = b.measured ? b.measured : a.measured; source) {
      column_.y0 += ui_.u / 2;
      draw_badge(ui_, row(1.3f), &*source, "table.badge", Align::left);
    }
    gap();
  }

  void draw_ratios() {
    table_head(Phrase::four_ratios);
    const UtilisationRatios &a = scene_.a.schedule.ratios, &b = scene_.b.schedule.ratios;
    const auto put = [&](Phrase name, double UtilisationRatios::*ratio, const char* id) {
      const auto text = [&](const UtilisationRatios& r) {
        return is_hidden_ ? std::string(hidden()) : percent_text(r.*ratio, 1, ui_.language);
      };
      table_row(ui_.tr(name), text(a), text(b), id);
    };
    put(Phrase::kernel_running, &UtilisationRatios::kernel_running, "kernel_running");
    put(Phrase::sms_with_work, &UtilisationRatios::sms_with_work, "sms_with_work");
    put(Phrase::occupancy, &UtilisationRatios::occupancy, "occupancy");
    put(Phrase::last_wave_filled, &UtilisationRatios::last_wave_filled, "last_wave");
    gap();
  }

  // ---- Split rules

  struct Column {
    Phrase title;
    float width_F;
  };
  static constexpr Column kColumns[] = {{Phrase::splits, 2.6f}, {Phrase::slots, 3.0f}, {Phrase::us, 2.7f}};

  Rect rule_box(Rect r, int column) const {
    float x1 = r.x1;
    for (int c = 2; c > column; --c) x1 -= std::round(kColumns[c].width_F * ui_.F);
    return {x1 - std::round(kColumns[column].width_F * ui_.F), r.y0, x1, r.y1};
  }

  void draw_rules() {
    rule_line();
    heading(Phrase::split_rules);
    const Rect head = row(1.2f);
    for (int c = 0; c < 3; ++c)
      text_in(ui_, rule_box(head, c), ui_.tr(kColumns[c].title),
              {.font = kSmall, .role = Role::text3, .align = Align::right});
    for (const SplitRuleAnswer& rule : scene_.rules) draw_rule(rule);
    column_.y0 += ui_.u / 2;
    const std::string note = say(ui_, Phrase::rules_note, count_text(scene_.question.heads),
                                 scene_.question.sms, count_text(scene_.question.blocks));
    column_.y0 += text_wrapped(ui_, column_, note, {.font = kSmall, .role = Role::text3, .id = "rules.note"});
  }

  /// "FA2" for FlashAttention-2.
  std::string short_name(std::string_view rule) const {
    constexpr std::string_view kLong = "FlashAttention-";
    if (rule == "ours") return ui_.tr(Phrase::rule_ours);
    return rule.starts_with(kLong) ? "FA" + std::string(rule.substr(kLong.size())) : std::string(rule);
  }

  void draw_rule(const SplitRuleAnswer& rule) {
    const Rect r = row(1.15f);
    const bool is_present = rule.splits == scene_.b.schedule.num_splits;
    if (is_present) {
      fill(ui_, r.grown(0), ui_.color(Role::accent_bg));
      fill(ui_, {r.x0 - ui_.px(6), r.y0, r.x0 - ui_.px(3), r.y1}, ui_.color(Role::accent));
    }
    const std::string name = short_name(rule.name);
    const std::string id = std::string("rule.") + rule.name;
    text_in(ui_, {r.x0, r.y0, rule_box(r, 0).x0, r.y1}, name, {.font = kSmall, .role = Role::text2});
    const auto value = [&](int column, const std::string& text, const char* what) {
      text_in(ui_, rule_box(r, column), text, {.font = kSmall, .align = Align::right, .id = id + what});
    };
    value(0, std::to_string(rule.splits), ".splits");
    const SplitCandidate candidate = split_candidate(scene_.question, rule.splits);
    value(1, percent_text(candidate.efficiency, 0, ui_.language), ".slots");
    const auto at = static_cast<std::size_t>(rule.splits - 1);
    const bool has_time = !is_hidden_ && at < scene_.sweep.size();
    value(2, has_time ? us(scene_.sweep[at].time_us) : hidden(), ".us");
    if (is_pointed_at(ui_, r)) tooltip(ui_, r, rule.why);
  }

  Ui& ui_;
  const Scene& lesson_;
  const GpuScene& scene_;
  float top_;
  Rect column_;
  bool is_hidden_ = false;
};

}  // namespace

float draw_gpu_inspector(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  return GpuInspector(ui, state, scene, area).draw();
}

}  // namespace fdlab

// Beside a GPU scene: its controls, what was predicted and measured, the four ratios, and what the split rules take.
#include <algorithm>
#include <bit>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/layout/plot_axis.h"
#include "viz/views.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

/// A control: a count on a slider, moved by the pointer or by its keys.
struct Slider {
  Phrase label;
  const char* id;
  std::int64_t value, least, most;
  bool is_logarithmic;
  CommandId set, down, up;
};

class GpuInspector {
 public:
  GpuInspector(Ui& ui, const AppState& state, const Scene& scene, Rect area)
      : ui_(ui), state_(state), lesson_(scene), scene_(scene.gpu()), top_(area.y0) {
    const float pad = 3 * ui.u;
    column_ = {area.x0 + pad, area.y0 + 2.5f * ui.u, area.x1 - pad, area.y1};
    is_hidden_ = has_open_question(state, scene);
  }

  float draw() {
    draw_controls();
    draw_times();
    draw_ratios();
    draw_rules();
    return column_.y0 + 2 * ui_.u - top_;
  }

 private:
  Rect row(float height_F = 1.32f) {
    const Rect r = column_.top(std::round(height_F * ui_.F));
    column_.y0 = r.y1;
    return Rect{r.x0, r.y0, r.x1, r.y0 + std::round(height_F * ui_.F)};
  }
  void gap() { column_.y0 += 2 * ui_.u; }
  void rule_line() {
    line(ui_, {column_.x0, column_.y0}, {column_.x1, column_.y0}, ui_.color(Role::line));
    column_.y0 += ui_.u;
  }
  void heading(Phrase phrase) { text_in(ui_, row(1.5f), ui_.tr(phrase), {.font = {.bold = true}}); }

  // ---- Controls

  void draw_controls() {
    const Rect head = row(1.6f);
    text_in(ui_, head, ui_.tr(Phrase::scene_setting), {.font = {.bold = true}});
    ButtonStyle reset{.label = ui_.tr(Phrase::scene_reset_short), .is_plain = true, .font = kSmall};
    if (lesson_.own_gpu)
      command_button(ui_, head.right(button_width(ui_, reset)), CommandId::scene_reset, reset);
    draw_gpu();
    using enum CommandId;
    const GpuSceneSpec& s = scene_.spec;
    draw_slider({Phrase::batch, "batch", s.batch, 1, kMostBatch, true, set_batch, batch_down, batch_up});
    draw_slider({Phrase::kv_heads, "kv_heads", s.kv_heads, 1, kMostKvHeads, true, set_kv_heads, kv_heads_down,
                 kv_heads_up});
    draw_slider({Phrase::gqa_group, "group", s.group, 1, kMostGroup, true, set_group, group_down, group_up});
    draw_slider({Phrase::kv_length, "length", s.kv_len, kLeastKvLen, kMostKvLen, true, set_length,
                 length_down, length_up});
    draw_slider({Phrase::splits, "splits", scene_.b.schedule.num_splits, 1, most_splits(), false, set_splits,
                 splits_down, splits_up});
    draw_choices();
    gap();
  }
  std::int64_t most_splits() const {
    return std::max(
        {std::int64_t{2}, static_cast<std::int64_t>(scene_.sweep.size()), scene_.b.schedule.num_splits});
  }

  Rect label(Rect r, Phrase phrase, float width_F = 4.6f) {
    const float width = std::round(width_F * ui_.F);
    text_in(ui_, r.left(width), ui_.tr(phrase), {.font = kSmall, .role = Role::text3});
    return {r.x0 + width, r.y0, r.x1, r.y1};
  }

  void draw_gpu() {
    Cutter cut{label(row(1.35f), Phrase::gpu, 1.8f)};
    const float side = std::round(1.25f * ui_.F);
    const Rect line_box = cut.rest;
    const auto box = [&](Rect r) {
      return Rect{r.x0, line_box.center().y - side / 2, r.x1, line_box.center().y + side / 2};
    };
    command_button(ui_, box(cut.left(side)), CommandId::gpu_back,
                   {.icon = Icon::chevron_left, .is_plain = true});
    command_button(ui_, box(cut.right(side)), CommandId::gpu_next,
                   {.icon = Icon::chevron_right, .is_plain = true});
    text_in(ui_, cut.rest, scene_.gpu.name, {.font = kSmall, .align = Align::center, .id = "control.gpu"});
  }

  static PlotAxis axis_of(const Slider& s, Rect bar) {
    return {static_cast<double>(s.least), static_cast<double>(s.most), bar.x0, bar.x1, s.is_logarithmic};
  }
  /// The nearest count, or on a logarithmic slider the nearest power of two.
  static std::int64_t count_near(const Slider& s, double value) {
    if (!s.is_logarithmic) return std::llround(value);
    const auto below = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(value)));
    return static_cast<std::int64_t>(value * value < 2 * below * below ? below : 2 * below);
  }

  void draw_slider(const Slider& s) {
    Rect r = label(row(1.3f), s.label);
    const float number = std::round(3.3f * ui_.F);
    text_in(ui_, r.right(number), count_text(s.value),
            {.font = kSmall, .align = Align::right, .id = std::string("control.") + s.id});
    const Rect track{r.x0, r.y0, r.x1 - number - ui_.u, r.y1};
    const float y = std::round(track.center().y), radius = ui_.px(6);
    const Rect bar{track.x0 + radius, y - ui_.px(1), track.x1 - radius, y + ui_.px(1)};
    const PlotAxis axis = axis_of(s, bar);
    const float x = axis.at(static_cast<double>(s.value));
    const Hit hit = hit_area(ui_, std::string("slider.") + s.id, track, false);
    fill(ui_, bar, ui_.color(Role::line2));
    fill(ui_, {bar.x0, bar.y0, x, bar.y1}, ui_.color(Role::text2));
    circle(ui_, {x, y}, radius, ui_.color(hit.is_hovered || hit.is_held ? Role::text : Role::text2));
    if (hit.is_hovered)
      tooltip(ui_, track,
              fmt::format("{}  {}, {}", ui_.tr(info_of(s.up).label), info_of(s.up).key_name,
                          info_of(s.down).key_name));
    if (!hit.is_held) return;
    const std::int64_t value = count_near(s, axis.value_at(ui_.mouse.position.x));
    if (value != s.value) ui_.send(s.set, value);
  }

  void draw_choices() {
    Cutter cut{row(1.6f)};
    const auto put = [&](CommandId command, Phrase phrase, bool is_on, std::string_view reason = {}) {
      ButtonStyle style{.label = ui_.tr(phrase), .is_on = is_on, .disabled_reason = reason, .font = kSmall};
      const Rect r = cut.left(button_width(ui_, style));
      cut.left(ui_.u);
      const float half = std::round(0.6f * ui_.F);
      command_button(ui_, {r.x0, r.center().y - half, r.x1, r.center().y + half}, command, style);
    };
    put(CommandId::splits_auto, Phrase::splits_by_rule, !scene_.spec.splits);
    put(CommandId::lengths_toggle, scene_.spec.is_ragged ? Phrase::lengths_ragged : Phrase::lengths_equal,
        scene_.spec.is_ragged, scene_.spec.batch > 1 ? "" : ui_.tr(Phrase::one_sequence_reason));
    const bool has_blocks = has_recorded_blocks(scene_.b);
    put(CommandId::recording_toggle, Phrase::recording, state_.shows_recording && has_blocks,
        has_blocks ? "" : ui_.tr(Phrase::not_recorded_reason));
  }

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
  void table_row(std::string_view name, const std::string& a, const std::string& b, const std::string& id,
                 bool is_bold = false) {
    const Rect r = row(1.15f);
    text_in(ui_, {r.x0, r.y0, value_box(r, 0).x0, r.y1}, name, {.font = kSmall, .role = Role::text2});
    const Font font = is_bold ? Font{.bold = true} : kSmall;
    text_in(ui_, value_box(r, 0), a, {.font = font, .align = Align::right, .id = "table." + id + ".a"});
    text_in(ui_, value_box(r, 1), b, {.font = font, .align = Align::right, .id = "table." + id + ".b"});
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
  const AppState& state_;
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

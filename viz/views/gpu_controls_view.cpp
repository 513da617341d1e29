// The controls of a GPU scene: which GPU, the sizes of the step, how many splits.
#include <algorithm>
#include <bit>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/layout/plot_axis.h"
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

class GpuControls {
 public:
  GpuControls(Ui& ui, const Scene& scene, Rect column)
      : ui_(ui), lesson_(scene), scene_(scene.gpu()), column_(column) {}

  float draw() {
    const float top = column_.y0;
    draw_head();
    draw_gpu();
    draw_sliders();
    draw_choices();
    return column_.y0 - top;
  }

 private:
  Rect row(float height_F) {
    const float height = std::round(height_F * ui_.F);
    column_.y0 += height;
    return {column_.x0, column_.y0 - height, column_.x1, column_.y0};
  }

  void draw_head() {
    const Rect head = row(1.6f);
    text_in(ui_, head, ui_.tr(Phrase::scene_setting), {.font = {.bold = true}});
    ButtonStyle reset{.label = ui_.tr(Phrase::scene_reset_short), .is_plain = true, .font = kSmall};
    if (lesson_.own_gpu)
      command_button(ui_, head.right(button_width(ui_, reset)), CommandId::scene_reset, reset);
  }

  void draw_sliders() {
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
    const std::string id = std::string("slider.") + s.id;
    const Hit hit = hit_area(ui_, id, track);
    take_arrows(ui_, id, s.down, s.up);
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
  }

  Ui& ui_;
  const Scene& lesson_;
  const GpuScene& scene_;
  Rect column_;
};

}  // namespace

float draw_gpu_controls(Ui& ui, const Scene& scene, Rect column) {
  return GpuControls(ui, scene, column).draw();
}

}  // namespace fdlab

// The transport of a GPU scene: what both launches do in words, the controls, and the time of the call to scrub on.
#include <algorithm>
#include <cmath>

#include "lessons/gpu_transcript.h"
#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/layout/plot_axis.h"
#include "viz/layout/transport.h"
#include "viz/scene.h"
#include "viz/views.h"
#include "viz/views/sm_frame.h"
#include "viz/views/transport_controls.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};
constexpr double kStepsPerSecond = 2;  // at speed 1

class GpuTransport {
 public:
  GpuTransport(Ui& ui, const AppState& state, const Scene& scene, Rect area)
      : ui_(ui), state_(state), scene_(scene.gpu()), is_hidden_(has_open_question(state, scene)) {
    total_ = "/ " + count_text(scene_.clock.last_step);
    const float digits = text_width(ui, {}, "0000");
    TransportRequest request{.area = area, .F = ui.F};
    request.field = std::ceil(digits + text_width(ui, {}, total_)) + 5 * ui.u;
    request.speed = std::ceil(text_width(ui, {}, speed_text())) + 3 * ui.u;
    request.next_label = 0;
    for (int i = 0; i < 3; ++i) request.jumps[i] = button_width(ui, jump_style(i, true));
    layout_ = layout_transport(request);
  }

  void draw() {
    if (!layout_.sentence.is_empty()) draw_sentence();
    draw_transport_controls(ui_, state_, layout_, {scene_.clock.last_step, total_, speed_text()});
    for (int i = 0; i < 3; ++i)
      command_button(ui_, layout_.jumps[i], kJumps[i].command, jump_style(i, layout_.jumps_have_words));
    if (layout_.track.width() > 2 * ui_.F) draw_track();
  }

 private:
  void draw_sentence() {
    const std::string told = gpu_transcript(scene_, state_.step, ui_.language);
    const bool shows_recording = state_.shows_recording && has_recorded_blocks(scene_.b);
    text_in(ui_, layout_.sentence, shows_recording ? say(ui_, Phrase::model_says, told) : told,
            {.id = "transcript"});
  }
  std::string speed_text() const {
    return fmt::format("{:g} µs/s", kStepsPerSecond * state_.speed * scene_.clock.slice_us);
  }

  struct Jump {
    CommandId command;
    Phrase label;
    Icon icon;
  };
  static constexpr Jump kJumps[] = {{CommandId::previous_turn, Phrase::jump_back_turn, Icon::chevron_left},
                                    {CommandId::next_turn, Phrase::jump_turn, Icon::chevron_right},
                                    {CommandId::recording_toggle, Phrase::recording, Icon::merge}};

  ButtonStyle jump_style(int i, bool has_words) const {
    const bool has_blocks = has_recorded_blocks(scene_.b);
    ButtonStyle style{
        .label = has_words ? ui_.tr(kJumps[i].label) : "", .icon = kJumps[i].icon, .font = kSmall};
    if (i == 0 && state_.step == 0) style.disabled_reason = ui_.tr(Phrase::first_step_reason);
    if (i == 1 && state_.step == scene_.clock.last_step)
      style.disabled_reason = ui_.tr(Phrase::last_step_reason);
    if (i == 2 && !has_blocks) style.disabled_reason = ui_.tr(Phrase::not_recorded_reason);
    if (i == 2) style.is_on = has_blocks && state_.shows_recording;
    return style;
  }

  // ---- Track: linear in time, a tick where a launch turns, its name where it is done.

  void draw_track() {
    const float inset = ui_.px(8), y = std::round(layout_.track.center().y);
    const PlotAxis axis{0, scene_.clock.end_us, layout_.track.x0 + inset, layout_.track.x1 - inset, false};
    const float x_now = std::round(axis.at(scene_.clock.time_us(state_.step)));
    const Rect bar{axis.p0, y - ui_.px(2), axis.p1, y + ui_.px(2)};
    fill(ui_, bar, ui_.color(Role::line2));
    fill(ui_, {bar.x0, bar.y0, x_now, bar.y1}, ui_.color(Role::text2));
    if (!is_hidden_) {
      draw_turns(scene_.a, axis, y);
      draw_turns(scene_.b, axis, y);
      draw_names(axis);
    }
    draw_playhead(ui_, state_, {x_now, y});

    const Hit hit = hit_area(ui_, "track", layout_.track, false);
    if (!hit.is_held) return;
    const std::int64_t step = scene_.clock.step_at(axis.value_at(ui_.mouse.position.x));
    if (step != state_.step) ui_.send(CommandId::go_step, step);
  }
  void draw_turns(const GpuGrid& grid, const PlotAxis& axis, float y) {
    for (const TurningPoint& point : grid.turning_points) {
      const float x = std::round(axis.at(point.call_us)),
                  half = ui_.px(point.kind == TurningPoint::Kind::done ? 9 : 6);
      line(ui_, {x, y - half}, {x, y + half}, ui_.color(Role::text3), ui_.px(2));
    }
  }
  void draw_names(const PlotAxis& axis) {
    if (!layout_.has_track_words) return;
    float free_from = layout_.track.x0;
    const bool b_is_first = scene_.b.schedule.time_us <= scene_.a.schedule.time_us;
    for (const bool is_b : {b_is_first, !b_is_first}) {
      const GpuGrid& grid = scene_.grid(is_b);
      const std::string text =
          say(ui_, Phrase::grid_done, is_b ? "B" : "A", fixed_text(grid.schedule.time_us, 1));
      const float width = std::ceil(text_width(ui_, kSmall, text)) + 1, y0 = layout_.track.y1 - ui_.px(1);
      const float x0 =
          std::clamp(axis.at(grid.schedule.time_us) - width / 2, layout_.track.x0, layout_.track.x1 - width);
      if (x0 < free_from) continue;
      text_in(ui_, {x0, y0, x0 + width, y0 + ui_.px(18)}, text,
              {.font = kSmall, .role = Role::text3, .id = is_b ? "track.b" : "track.a"});
      free_from = x0 + width + 2 * ui_.u;
    }
  }

  Ui& ui_;
  const AppState& state_;
  const GpuScene& scene_;
  const bool is_hidden_;
  std::string total_;
  TransportLayout layout_;
};

}  // namespace

void draw_gpu_transport(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  GpuTransport(ui, state, scene, area).draw();
}

}  // namespace fdlab

// The transport: the step in words, the controls, and the track of all steps to scrub on.
#include <fmt/format.h>

#include <algorithm>

#include "lessons/number_text.h"
#include "lessons/transcript.h"
#include "viz/draw.h"
#include "viz/layout/track.h"
#include "viz/layout/transport.h"
#include "viz/scene.h"
#include "viz/views.h"
#include "viz/views/transport_controls.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

std::string speed_text(double speed) {
  if (speed == 0.25) return "¼×";
  if (speed == 0.5) return "½×";
  return fmt::format("{}×", static_cast<int>(speed));
}

class TransportView {
 public:
  TransportView(Ui& ui, const AppState& state, const Scene& scene, Rect area)
      : ui_(ui), state_(state), scene_(scene), trace_(scene.trace()), last_(trace_.steps().num_steps()) {
    total_ = "/ " + count_text(last_);
    const float digits = std::max(text_width(ui, {}, count_text(last_)), text_width(ui, {}, "000"));
    TransportRequest request{.area = area, .F = ui.F};
    request.field = std::ceil(digits + text_width(ui, {}, total_)) + 5 * ui.u;
    request.speed = std::ceil(text_width(ui, {}, "64×")) + 3 * ui.u;
    request.next_label = std::ceil(text_width(ui, kSmall, ui.tr(Phrase::jump_next)));
    for (int i = 0; i < 3; ++i) request.jumps[i] = button_width(ui, jump_style(i, true));
    layout_ = layout_transport(request);
  }

  void draw() {
    if (!layout_.sentence.is_empty()) draw_sentence();
    draw_transport_controls(ui_, state_, layout_, {last_, total_, speed_text(state_.speed)});
    draw_jumps();
    if (layout_.track.width() > 2 * ui_.F) draw_track();
  }

 private:
  void draw_sentence() {
    text_in(ui_, layout_.sentence, transcript(scene_.scope(state_.step), ui_.language), {.id = "transcript"});
  }

  // ---- Jumps

  struct Jump {
    CommandId command, backwards;
    Event event;
    Phrase label;
    Icon icon;
    Role role;
  };
  static constexpr Jump kJumps[] = {{CommandId::next_max_rises, CommandId::previous_max_rises,
                                     Event::max_rises, Phrase::jump_max_rises, Icon::max_rises, Role::m},
                                    {CommandId::next_rescale, CommandId::previous_rescale, Event::rescales,
                                     Phrase::jump_rescale, Icon::rescale, Role::l},
                                    {CommandId::next_merge, CommandId::previous_merge, Event::merges,
                                     Phrase::jump_merge, Icon::merge, Role::text2}};

  ButtonStyle jump_style(int i, bool has_words) const {
    const Jump& jump = kJumps[i];
    const bool has_next = trace_.next_event(jump.event, state_.step, ui_.mouse.has_shift) > 0;
    return {.label = has_words ? ui_.tr(jump.label) : "",
            .icon = jump.icon,
            .icon_role = jump.role,
            .disabled_reason = has_next ? "" : ui_.tr(Phrase::no_further_step),
            .font = kSmall};
  }
  void draw_jumps() {
    if (!layout_.next_label.is_empty())
      text_in(ui_, layout_.next_label, ui_.tr(Phrase::jump_next), {.font = kSmall, .role = Role::text3});
    for (int i = 0; i < 3; ++i) {
      const CommandId command = ui_.mouse.has_shift ? kJumps[i].backwards : kJumps[i].command;
      command_button(ui_, layout_.jumps[i], command, jump_style(i, layout_.jumps_have_words));
    }
  }

  // ---- Track

  void draw_track() {
    const float inset = ui_.px(8);  // half the playhead
    const Track track(trace_.steps(), layout_.track.x0 + inset, layout_.track.x1 - inset, ui_.px(8),
                      ui_.px(14));
    const float y = std::round(layout_.track.center().y);
    const float x_now = track.x_of(state_.step);
    for (const TrackSegment& segment : track.segments()) draw_segment(segment, y, x_now);
    for (const TrackMark& mark : track.marks(trace_, ui_.px(4))) draw_mark(mark, y);
    draw_playhead(ui_, state_, {x_now, y});

    const Hit hit = hit_area(ui_, "track", layout_.track, false);
    if (!hit.is_held) return;
    const std::int64_t step = track.step_at(ui_.mouse.position.x);
    if (step != state_.step) ui_.send(CommandId::go_step, step);
  }

  void draw_segment(const TrackSegment& segment, float y, float x_now) {
    const Rect bar{segment.x0, y - ui_.px(2), segment.x1, y + ui_.px(2)};
    fill(ui_, bar, ui_.color(Role::line2));
    fill(ui_, bar.intersect({bar.x0, bar.y0, x_now, bar.y1}), ui_.color(Role::text2));
    if (!layout_.has_track_words) return;
    const std::string text = segment_name(segment);
    const float width = std::ceil(text_width(ui_, kSmall, text)), y0 = layout_.track.y1 - ui_.px(1);
    const float x0 = std::min(segment.x0, layout_.track.x1 - width);
    const float room = segment.phase == TrackSegment::Phase::check ? width : segment.x1 - segment.x0;
    if (width > room) return;
    const std::string id = std::string("track.") + segment_id(segment);
    text_in(ui_, {x0, y0, x0 + width, y0 + ui_.px(18)}, text,
            {.font = kSmall, .role = Role::text3, .id = id});
  }
  static const char* segment_id(const TrackSegment& segment) {
    constexpr const char* names[] = {"scan", "merge", "check"};
    return names[static_cast<std::size_t>(segment.phase)];
  }
  std::string segment_name(const TrackSegment& segment) const {
    switch (segment.phase) {
      case TrackSegment::Phase::scan: return say(ui_, Phrase::track_scan, count_text(trace_.plan().kv_len));
      case TrackSegment::Phase::merge:
        return say(ui_, Phrase::track_merge, count_text(trace_.steps().num_merge_steps()));
      case TrackSegment::Phase::check: return ui_.tr(Phrase::track_check);
    }
    return {};
  }

  void draw_mark(const TrackMark& mark, float y) {
    const bool is_past = mark.last <= state_.step;
    const Color ink = ui_.color(is_past ? Role::text2 : Role::line2);
    const Vec2 center{std::round((mark.x0 + mark.x1) / 2), y};
    switch (mark.kind) {
      case TrackMark::Kind::max_rises: {
        const float y_mark = y - ui_.px(10), size = ui_.px(8);  // joined: one body from the first to the last
        icon(ui_, Icon::max_rises, {mark.x0, y_mark}, size, ui_.color(Role::m));
        if (mark.x1 == mark.x0) break;
        icon(ui_, Icon::max_rises, {mark.x1, y_mark}, size, ui_.color(Role::m));
        fill(ui_, {mark.x0, y_mark - 0.45f * size, mark.x1, y_mark + 0.4f * size}, ui_.color(Role::m));
        break;
      }
      case TrackMark::Kind::tile_end:
        for (const float x : {mark.x0, mark.x1})
          fill(ui_, snapped(Rect{x, y + ui_.px(5), x + 1, y + ui_.px(10)}), ui_.color(Role::text3));
        fill(ui_, snapped(Rect{mark.x0, y + ui_.px(5), mark.x1, y + ui_.px(5) + 1}), ui_.color(Role::text3));
        break;
      case TrackMark::Kind::merge: draw_merge_dots(mark, y, is_past, ink); break;
      case TrackMark::Kind::not_finite:
        icon(ui_, Icon::cross, {center.x, y - ui_.px(10)}, ui_.px(8), ui_.color(Role::bad));
        break;
      case TrackMark::Kind::check: {
        const Rect box =
            snapped(Rect{center.x - ui_.px(4), y - ui_.px(4), center.x + ui_.px(4), y + ui_.px(4)});
        fill(ui_, box, is_past ? ink : ui_.color(Role::panel));
        outline(ui_, box, ui_.color(is_past ? Role::text2 : Role::text3), ui_.px(1));
      }
    }
  }
  void draw_merge_dots(const TrackMark& mark, float y, bool is_past, Color ink) {
    const float r = ui_.px(5);
    if (mark.first != mark.last) return fill(ui_, {mark.x0 - r, y - r, mark.x1 + r, y + r}, ink, r);
    circle(ui_, {mark.x0, y}, r, is_past ? ink : ui_.color(Role::panel));
    if (!is_past) ring(ui_, {mark.x0, y}, r, ui_.color(Role::text3), ui_.px(1));
  }

  Ui& ui_;
  const AppState& state_;
  const Scene& scene_;
  const Trace& trace_;
  std::int64_t last_;
  std::string total_;
  TransportLayout layout_;
};

}  // namespace

void draw_transport(Ui& ui, const AppState& state, const Scene& scene, Rect area) {
  TransportView(ui, state, scene, area).draw();
}

}  // namespace fdlab

// How many splits? For every count the slots it fills, as the textbook counts, and the time the model gives; what was
// recorded stands in it as dots.
#include <algorithm>
#include <cmath>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/sm_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

class SweepView {
 public:
  SweepView(Ui& ui, const SmFrame& frame) : ui_(ui), frame_(frame), sweep_(frame.scene.sweep) {
    const Rect area = frame.layout.sweep;
    title_ = area.top(std::round(1.1f * ui.F));
    labels_ = area.bottom(std::round(1.0f * ui.F));
    const float left = std::round(2.1f * ui.F), right = std::round(2.3f * ui.F);
    plot_ = {area.x0 + left, title_.y1 + ui.u, area.x1 - right, labels_.y0};
    // Round ends that hold every time, and room above for the tick.
    double low = 1e300, high = 0;
    for (const SweepPoint& point : sweep_) {
      low = std::min({low, point.time_us, point.measured_us.value_or(point.time_us)});
      high = std::max({high, point.time_us, point.measured_us.value_or(point.time_us)});
    }
    time_ = {low * 0.85, high * 1.1, plot_.y1, plot_.y0, true};
    pitch_ = plot_.width() / static_cast<float>(sweep_.size());
  }

  void draw() {
    draw_title();
    if (plot_.height() < 2 * ui_.F) return;
    draw_bars();
    draw_axes();
    if (!frame_.has_open_question) draw_times();
    point();
  }

 private:
  float x_of(std::int64_t splits) const { return plot_.x0 + pitch_ * (static_cast<float>(splits) - 0.5f); }
  Rect bar(const SweepPoint& point) const {
    const float x = x_of(point.candidate.splits), gap = pitch_ > 3 ? 1.0f : 0.0f;
    const auto height = plot_.height() * static_cast<float>(point.candidate.efficiency);
    return {std::round(x - pitch_ / 2), std::round(plot_.y1 - height), std::round(x + pitch_ / 2) - gap,
            plot_.y1};
  }
  std::int64_t present() const { return frame_.scene.b.schedule.num_splits; }

  void draw_title() {
    Rect row = title_;
    text_in(ui_, row, ui_.tr(Phrase::sweep_title),
            {.font = kSmall, .role = Role::text2, .id = "sweep.title"});
    const bool is_hidden = frame_.has_open_question;
    const std::string legend = ui_.tr(is_hidden ? Phrase::sweep_hidden : Phrase::sweep_legend);
    const float width = std::ceil(text_width(ui_, kSmall, legend)) + 1;
    const float used = text_width(ui_, kSmall, ui_.tr(Phrase::sweep_title)) + 3 * ui_.u;
    if (used + width > row.width()) return;
    text_in(ui_, row.right(width), legend,
            {.font = kSmall,
             .role = is_hidden ? Role::text2 : Role::text3,
             .align = Align::right,
             .id = is_hidden ? "sweep.hidden" : "sweep.legend"});
  }

  void draw_bars() {
    for (const SweepPoint& point : sweep_) {
      const bool is_present = point.candidate.splits == present();
      fill(ui_, bar(point), ui_.color(is_present ? Role::accent : Role::line));
      if (is_present && ui_.theme == Theme::light) outline(ui_, bar(point), ui_.color(Role::mark));
    }
  }

  void draw_axes() {
    line(ui_, {plot_.x0, plot_.y1}, {plot_.x1, plot_.y1}, ui_.color(Role::line2));
    const float half = std::round(0.6f * ui_.F);
    if (!frame_.has_open_question)
      for (const double tick : ticks_of(time_, 5)) {
        const float y = std::round(time_.at(tick));
        line(ui_, {plot_.x0, y}, {plot_.x1, y}, ui_.color(Role::line));
        text_in(ui_, {frame_.layout.sweep.x0, y - half, plot_.x0 - ui_.u, y + half},
                fmt::format("{:g}", tick), {.font = kSmall, .role = Role::text3, .align = Align::right});
      }
    text_in(ui_, {plot_.x1 + ui_.u / 2, plot_.y0 - half, frame_.layout.sweep.x1, plot_.y0 + half},
            say(ui_, Phrase::percent, 100), {.font = kSmall, .role = Role::text3, .align = Align::right});
    text_in(ui_, {plot_.x1 + ui_.u / 2, plot_.y1 - half, frame_.layout.sweep.x1, plot_.y1 + half},
            say(ui_, Phrase::percent, 0), {.font = kSmall, .role = Role::text3, .align = Align::right});
    draw_counts();
  }
  void draw_counts() {
    const auto most = static_cast<std::int64_t>(sweep_.size());
    const std::int64_t stride = most > 40 ? 8 : most > 16 ? 4 : most > 8 ? 2 : 1;
    for (std::int64_t splits = 1; splits <= most; splits += splits == 1 && stride > 1 ? stride - 1 : stride)
      text_at(ui_, {x_of(splits), labels_.y0 + baseline_in(ui_, kSmall, labels_.height())},
              std::to_string(splits), {.font = kSmall, .role = Role::text3, .align = Align::center});
  }

  void draw_times() {
    std::vector<Vec2> points;
    for (const SweepPoint& point : sweep_)
      points.push_back({x_of(point.candidate.splits), time_.at(point.time_us)});
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      dashed_line(ui_, points[i], points[i + 1], ui_.color(Role::text), ui_.px(2));
    for (const SweepPoint& point : sweep_)
      if (point.measured_us)
        circle(ui_, {x_of(point.candidate.splits), time_.at(*point.measured_us)}, ui_.px(4),
               ui_.color(Role::text));
    if (present() > static_cast<std::int64_t>(sweep_.size())) return;
    const SweepPoint& now = sweep_[static_cast<std::size_t>(present() - 1)];
    const Vec2 center{x_of(present()), time_.at(now.time_us)};
    circle(ui_, center, ui_.px(5), ui_.color(Role::bg));
    ring(ui_, center, ui_.px(6), ui_.color(Role::mark), ui_.px(2));
    note_value(ui_, "sweep.now", "µs", fixed_text(now.time_us, 1),
               {center.x - ui_.px(6), center.y - ui_.px(6), center.x + ui_.px(6), center.y + ui_.px(6)});
  }

  void point() {
    const Hit hit = hit_area(ui_, "sweep", plot_, false);
    if (!hit.is_hovered) return;
    const auto most = static_cast<std::int64_t>(sweep_.size());
    const auto splits = std::clamp<std::int64_t>(
        1 + static_cast<std::int64_t>((ui_.mouse.position.x - plot_.x0) / pitch_), 1, most);
    const SweepPoint& at = sweep_[static_cast<std::size_t>(splits - 1)];
    std::string text = say(ui_, Phrase::sweep_point, splits, count_text(at.candidate.blocks),
                           at.candidate.waves, percent_text(at.candidate.efficiency, 1, ui_.language));
    if (!frame_.has_open_question) text += say(ui_, Phrase::sweep_point_time, fixed_text(at.time_us, 1));
    if (!frame_.has_open_question && at.measured_us)
      text += say(ui_, Phrase::sweep_point_measured, fixed_text(*at.measured_us, 1));
    outline(ui_, bar(at).grown(1), ui_.color(Role::text), ui_.px(1));
    tooltip(ui_, bar(at), text);
    if (hit.was_clicked) ui_.send(CommandId::set_splits, splits);
  }

  Ui& ui_;
  const SmFrame& frame_;
  const std::vector<SweepPoint>& sweep_;
  Rect title_, plot_, labels_;
  PlotAxis time_;
  float pitch_ = 1;
};

}  // namespace

void draw_sweep(Ui& ui, const SmFrame& frame) {
  if (!frame.scene.sweep.empty() && frame.layout.sweep.width() > 6 * ui.F) SweepView(ui, frame).draw();
}

}  // namespace fdlab

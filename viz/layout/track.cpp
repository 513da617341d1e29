#include "viz/layout/track.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace fdlab {
namespace {

constexpr double kSmallestShare = 0.05, kMostForMerges = 0.3;

/// Widths in proportion to the steps, none below its least.
std::vector<double> share_out(const std::vector<TrackSegment>& segments, const std::vector<double>& least,
                              double width) {
  const auto steps_of = [](const TrackSegment& s) { return static_cast<double>(s.last - s.first + 1); };
  std::vector<double> widths(segments.size(), 0.0);
  double steps = 0, room = width;
  for (const TrackSegment& s : segments) steps += steps_of(s);
  for (bool changed = true; changed;) {  // a segment held at its least leaves less for the others
    changed = false;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (widths[i] > 0 || steps_of(segments[i]) / steps * room >= least[i]) continue;
      widths[i] = least[i];
      room -= widths[i];
      steps -= steps_of(segments[i]);
      changed = true;
    }
  }
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (widths[i] == 0) widths[i] = steps_of(segments[i]) / steps * room;
  return widths;
}

using MaybeStep = std::optional<std::int64_t>;

TrackEvents rises_of(const Trace& trace) {
  const auto* rises = &trace.max_rises();
  const auto from = [rises](std::int64_t step) {
    return std::lower_bound(rises->begin(), rises->end(), step);
  };
  return {
      [=](std::int64_t step) { return from(step) == rises->end() ? MaybeStep{} : MaybeStep{*from(step)}; },
      [=](std::int64_t step) {
        return from(step) == rises->begin() ? MaybeStep{} : MaybeStep{*(from(step) - 1)};
      }};
}

TrackEvents tile_ends_of(const StepIndex& steps) {
  return {[&steps](std::int64_t step) -> MaybeStep {
            if (step > steps.scan_end() || steps.scan_end() == 0) return {};
            return steps.of_tile_in_stream(steps.at(std::max<std::int64_t>(1, step)).tile);
          },
          [&steps](std::int64_t step) -> MaybeStep {
            const std::int64_t before = std::min(step - 1, steps.scan_end());
            if (before < 1) return {};
            const std::int64_t tile = steps.at(before).tile, end = steps.of_tile_in_stream(tile);
            if (end <= before) return end;
            return tile > 0 ? MaybeStep{steps.of_tile_in_stream(tile - 1)} : MaybeStep{};
          }};
}

TrackEvents merges_of(const StepIndex& steps) {
  return {[&steps](std::int64_t step) -> MaybeStep {
            const std::int64_t at = std::max(step, steps.scan_end() + 1);
            return at <= steps.merge_end() ? MaybeStep{at} : MaybeStep{};
          },
          [&steps](std::int64_t step) -> MaybeStep {
            const std::int64_t at = std::min(step - 1, steps.merge_end());
            return at > steps.scan_end() ? MaybeStep{at} : MaybeStep{};
          }};
}

}  // namespace

Track::Track(const StepIndex& steps, float x0, float x1, float gap, float dot) {
  const auto add = [&](TrackSegment::Phase phase, std::int64_t first, std::int64_t last) {
    if (first <= last) segments_.push_back({phase, first, last, 0, 0});
  };
  add(TrackSegment::Phase::scan, 0, steps.scan_end());
  add(TrackSegment::Phase::merge, steps.scan_end() + 1, steps.merge_end());
  add(TrackSegment::Phase::check, steps.of_check(), steps.of_check());

  const double width = std::max(1.0f, x1 - x0 - gap * static_cast<float>(segments_.size() - 1));
  std::vector<double> least(segments_.size(), kSmallestShare * width);
  for (std::size_t i = 0; i < segments_.size(); ++i)
    if (segments_[i].phase == TrackSegment::Phase::merge)
      least[i] =
          std::clamp(static_cast<double>(steps.num_merge_steps()) * dot, least[i], kMostForMerges * width);
  const std::vector<double> widths = share_out(segments_, least, width);
  double x = x0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    segments_[i].x0 = static_cast<float>(std::round(x));
    x += widths[i];
    segments_[i].x1 = static_cast<float>(std::round(x));
    x += gap;
  }
}

float Track::x_of(std::int64_t step) const {
  for (const TrackSegment& s : segments_) {
    if (step > s.last) continue;
    const auto span = static_cast<double>(s.last - s.first);
    if (s.phase == TrackSegment::Phase::merge) {  // dots stand inside the bar, half a pitch from its ends
      const double place = (static_cast<double>(std::max(step, s.first) - s.first) + 0.5) / (span + 1);
      return s.x0 + static_cast<float>(place * (s.x1 - s.x0));
    }
    if (span == 0) return s.x1;
    return s.x0 +
           static_cast<float>(static_cast<double>(std::max(step, s.first) - s.first) / span * (s.x1 - s.x0));
  }
  return segments_.back().x1;
}

std::int64_t Track::first_step_from(float x) const {
  std::int64_t low = 0, high = segments_.back().last + 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (x_of(middle) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

std::int64_t Track::step_at(float x) const {
  const std::int64_t right = std::min(first_step_from(x), segments_.back().last);
  return right > 0 && x - x_of(right - 1) < x_of(right) - x ? right - 1 : right;
}

std::vector<TrackMark> Track::join_marks(TrackMark::Kind kind, const TrackEvents& events, float join) const {
  std::vector<TrackMark> marks;
  for (std::optional<std::int64_t> step = events.first_from(0); step;) {
    TrackMark mark{kind, *step, *step, x_of(*step), x_of(*step)};
    for (;;) {  // grow by all events nearer than `join` to its end
      const std::int64_t last = events.last_before(first_step_from(mark.x1 + join)).value_or(mark.last);
      if (last <= mark.last) break;
      mark.last = last;
      mark.x1 = x_of(last);
    }
    marks.push_back(mark);
    step = events.first_from(mark.last + 1);
  }
  return marks;
}

std::vector<TrackMark> Track::marks(const Trace& trace, float join) const {
  using Kind = TrackMark::Kind;
  std::vector<TrackMark> marks;
  const auto append = [&](const std::vector<TrackMark>& more) {
    marks.insert(marks.end(), more.begin(), more.end());
  };
  append(join_marks(Kind::max_rises, rises_of(trace), join));
  append(join_marks(Kind::tile_end, tile_ends_of(trace.steps()), join));
  append(join_marks(Kind::merge, merges_of(trace.steps()), join));
  const auto single = [&](Kind kind, std::int64_t step) {
    append({{kind, step, step, x_of(step), x_of(step)}});
  };
  if (trace.first_not_finite() > 0) single(Kind::not_finite, trace.first_not_finite());
  single(Kind::check, trace.steps().of_check());
  return marks;
}

}  // namespace fdlab

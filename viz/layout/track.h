// The track under the transport: all steps of a run on one line, in the segments scan, merge and check. A segment is
// linear inside and never narrower than 5 % of the track; merges get room for a dot each, up to 30 %, so that ten merges after
// a million keys can still be told apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/trace/trace.h"
#include "viz/rect.h"

namespace fdlab {

struct TrackSegment {
  enum class Phase : std::uint8_t { scan, merge, check };
  Phase phase = Phase::scan;
  std::int64_t first = 0, last = 0;  ///< steps; x0 is `first`, x1 is `last`
  float x0 = 0, x1 = 0;
};

/// Steps first … last, closer together than can be told apart, as one mark; most often one step.
struct TrackMark {
  enum class Kind : std::uint8_t { max_rises, tile_end, merge, not_finite, check };
  Kind kind = Kind::merge;
  std::int64_t first = 0, last = 0;
  float x0 = 0, x1 = 0;  ///< centres of the first and last step
};

/// Steps at which something happens, found without listing them.
struct TrackEvents {
  std::function<std::optional<std::int64_t>(std::int64_t)> first_from;   ///< at or after a step
  std::function<std::optional<std::int64_t>(std::int64_t)> last_before;  ///< before a step
};

class Track {
 public:
  /// x0 … x1: pixels; gap: between segments; dot: what a merge would like to have.
  Track(const StepIndex& steps, float x0, float x1, float gap, float dot);

  const std::vector<TrackSegment>& segments() const { return segments_; }
  float x_of(std::int64_t step) const;
  std::int64_t step_at(float x) const;

  /// All marks, joined where nearer than `join` pixels. The cost grows with the pixels, not with the steps.
  std::vector<TrackMark> marks(const Trace& trace, float join) const;

 private:
  std::vector<TrackMark> join_marks(TrackMark::Kind kind, const TrackEvents& events, float join) const;
  std::int64_t first_step_from(float x) const;  ///< one beyond the last step if there is none

  std::vector<TrackSegment> segments_;
};

}  // namespace fdlab

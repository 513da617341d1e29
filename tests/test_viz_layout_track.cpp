// The track: linear inside a segment, no segment too narrow to point at, marks joined but never lost.
#include "viz/layout/track.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace fdlab;

namespace {

/// A run over random keys that owns its tensors; head_dim 2.
struct Run {
  std::vector<float> q{1, 0.5f}, k, v;
  DecodeProblem problem;

  explicit Run(std::int64_t kv_len) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < 2 * kv_len; ++i) {
      k.push_back(3 * normal(random));
      v.push_back(normal(random));
    }
    problem.kv_len = kv_len;
    problem.head_dim = problem.v_head_dim = 2;
    problem.scale = 1;
    problem.q = {q.data(), DType::f32, c_order_strides(1, 1, 2)};
    problem.k = {k.data(), DType::f32, c_order_strides(1, kv_len, 2)};
    problem.v = {v.data(), DType::f32, c_order_strides(1, kv_len, 2)};
  }
  Trace trace(std::int64_t tile_size, std::int64_t streams, MergeOrder merge = MergeOrder::tree) const {
    return record(problem,
                  {.kv_len = problem.kv_len, .tile_size = tile_size, .num_streams = streams, .merge = merge},
                  Method::mlo, {});
  }
};

}  // namespace

TEST_CASE("segments fill the track, and none is narrower than 5 %") {
  for (const std::int64_t kv_len : {0, 1, 40, 1'000'000})
    for (const std::int64_t streams : {1, 2, 11})
      for (const float width : {120.0f, 560.0f, 1500.0f}) {
        const StepIndex steps(
            {.kv_len = kv_len, .tile_size = 256, .num_streams = streams, .merge = MergeOrder::tree});
        const Track track(steps, 10, 10 + width, 8, 14);
        const auto& segments = track.segments();
        CHECK(segments.front().x0 == 10);
        CHECK(segments.back().x1 == doctest::Approx(10 + width).epsilon(0.01));
        const float room = width - 8 * static_cast<float>(segments.size() - 1);
        for (std::size_t i = 0; i < segments.size(); ++i) {
          CHECK(segments[i].x1 - segments[i].x0 >= 0.05f * room - 1);
          if (i > 0) CHECK(segments[i].x0 == doctest::Approx(segments[i - 1].x1 + 8).epsilon(0.01));
          if (i > 0) CHECK(segments[i].first == segments[i - 1].last + 1);
        }
        CHECK(segments.back().last == steps.num_steps());
      }
}

TEST_CASE("ten merges after 346 keys are dots of their own, and a thousand take no more than 30 %") {
  const StepIndex few({.kv_len = 346, .tile_size = 32, .num_streams = 11, .merge = MergeOrder::tree});
  const TrackSegment merges = Track(few, 0, 600, 8, 14).segments()[1];
  CHECK(merges.phase == TrackSegment::Phase::merge);
  CHECK(merges.x1 - merges.x0 == doctest::Approx(140).epsilon(0.01));
  const StepIndex many({.kv_len = 3460, .tile_size = 2, .num_streams = 1000, .merge = MergeOrder::tree});
  const TrackSegment thousand = Track(many, 0, 600, 8, 14).segments()[1];
  CHECK(thousand.x1 - thousand.x0 == doctest::Approx(0.3 * 584).epsilon(0.01));
}

TEST_CASE("x grows with the step, and pointing at a step finds it") {
  const StepIndex steps({.kv_len = 346, .tile_size = 32, .num_streams = 11, .merge = MergeOrder::tree});
  const Track track(steps, 0, 800, 8, 14);
  for (std::int64_t step = 0; step <= steps.num_steps(); ++step) {
    if (step > 0) CHECK(track.x_of(step) > track.x_of(step - 1));
    CHECK(track.step_at(track.x_of(step)) == step);
  }
  CHECK(track.step_at(-50) == 0);
  CHECK(track.step_at(5000) == steps.num_steps());
}

TEST_CASE("marks are at least the joining distance apart, and every event is in one") {
  for (const std::int64_t kv_len : {1, 64, 346, 5000})
    for (const std::int64_t streams : {1, 3, 11}) {
      const Run run(kv_len);
      const Trace trace = run.trace(32, streams);
      const Track track(trace.steps(), 0, 500, 8, 14);
      const auto marks = track.marks(trace, 4);
      const auto covered = [&](TrackMark::Kind kind, std::int64_t step) {
        return std::count_if(marks.begin(), marks.end(), [&](const TrackMark& m) {
          return m.kind == kind && m.first <= step && step <= m.last;
        });
      };
      for (std::size_t i = 1; i < marks.size(); ++i)
        if (marks[i].kind == marks[i - 1].kind) CHECK(marks[i].x0 - marks[i - 1].x1 >= 4);
      for (const std::int64_t step : trace.max_rises()) CHECK(covered(TrackMark::Kind::max_rises, step) == 1);
      for (std::int64_t t = 0; t < trace.plan().num_tiles(); ++t)
        CHECK(covered(TrackMark::Kind::tile_end, trace.steps().of_tile_in_stream(t)) == 1);
      for (std::int64_t s = trace.steps().scan_end() + 1; s <= trace.steps().merge_end(); ++s)
        CHECK(covered(TrackMark::Kind::merge, s) == 1);
      CHECK(covered(TrackMark::Kind::check, trace.steps().of_check()) == 1);
      CHECK(covered(TrackMark::Kind::not_finite, 1) == 0);
    }
}

TEST_CASE("NaN has a mark where it first appears") {
  Run run(64);
  run.v[2 * 20] = std::nanf("");
  const Trace trace = run.trace(16, 4);
  const Track track(trace.steps(), 0, 500, 8, 14);
  const auto marks = track.marks(trace, 4);
  const auto found = std::find_if(marks.begin(), marks.end(),
                                  [](const TrackMark& m) { return m.kind == TrackMark::Kind::not_finite; });
  REQUIRE(found != marks.end());
  CHECK(found->first == trace.steps().of_key(20));
}

TEST_CASE("a million keys: the number of marks is bounded by the pixels") {
  const Run run(1'000'000);
  const Trace trace = run.trace(64, 15625);
  const auto marks = Track(trace.steps(), 0, 600, 8, 14).marks(trace, 4);
  CHECK(marks.size() < 3 * 150 + 10);
}

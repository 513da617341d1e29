#include "core/sim/side_by_side.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/sim/simulate.h"

using namespace fdlab;

namespace {

Schedule schedule_of(const char* gpu, const char* kernel, std::int64_t splits) {
  const DecodeShape shape{1, 8, 8, 1, 32768, 128, 128, DType::bf16, {}};
  auto schedule = simulate_step(*find_gpu(gpu), *find_kernel(kernel), shape, {splits, false});
  REQUIRE(schedule);
  return std::move(*schedule);
}

}  // namespace

TEST_CASE("a launch begins with the call, reads, merges and is done when the schedule says so") {
  for (const char* kernel : {"split", "one-kernel"})
    for (const std::int64_t splits : {1, 16, 17, 66}) {
      CAPTURE(kernel);
      CAPTURE(splits);
      const Schedule s = schedule_of("h200", kernel, splits);
      CHECK(moment_of(s, 0).phase == LaunchPhase::launching);
      CHECK(moment_of(s, 0).busy_sms == 0);
      CHECK(moment_of(s, s.first_launch_us() + s.split.span_us / 2).phase == LaunchPhase::reading);
      CHECK(moment_of(s, s.time_us).phase == LaunchPhase::done);
      CHECK(moment_of(s, s.time_us).finished_blocks == static_cast<std::int64_t>(s.split.blocks.size()));
      const LaunchMoment merging = moment_of(s, s.time_us - s.merge_us / 2);
      CHECK((merging.phase == LaunchPhase::merging) == (splits > 1));
    }
}

TEST_CASE("at any moment the SMs at work are those that hold a block") {
  const Schedule s = schedule_of("h200", "one-kernel", 17);
  for (int i = 1; i < 100; ++i) {
    const double call_us = s.time_us * i / 100;
    std::set<std::int32_t> busy;
    std::int64_t resident = 0;
    for (const ScheduledBlock& b : s.split.blocks) {
      const double us = call_us - s.first_launch_us();
      if (us < b.start_us || us >= b.end_us) continue;
      busy.insert(b.sm);
      ++resident;
    }
    CAPTURE(call_us);
    CHECK(moment_of(s, call_us).busy_sms == static_cast<std::int64_t>(busy.size()));
    CHECK(moment_of(s, call_us).resident_blocks == resident);
  }
}

TEST_CASE("turning points: a wave more than the first, the first SM to run dry, the merge, the end") {
  using enum TurningPoint::Kind;
  const auto kinds = [](const std::vector<TurningPoint>& points) {
    std::vector<TurningPoint::Kind> kinds;
    for (const TurningPoint& point : points) kinds.push_back(point.kind);
    return kinds;
  };
  CHECK(kinds(turning_points(schedule_of("h200", "one-kernel", 1))) == std::vector{drain, done});
  CHECK(kinds(turning_points(schedule_of("h200", "one-kernel", 16))) == std::vector{drain, merge, done});
  for (const std::int64_t splits : {17, 40, 66}) {
    const Schedule s = schedule_of("h200", "one-kernel", splits);
    const auto points = turning_points(s);
    const auto found = kinds(points);
    CHECK(std::count(found.begin(), found.end(), wave) == s.waves - 1);
    CHECK(
        std::is_sorted(points.begin(), points.end(), [](auto& a, auto& b) { return a.call_us < b.call_us; }));
    CHECK(points.back().call_us == s.time_us);
  }
}

TEST_CASE("the clock has round slices, at most 400, and ends where the run ends") {
  for (const double end_us : {0.004, 0.5, 1.0, 36.87, 219.99, 399.9, 400.0, 400.1, 18946.2, 1e9}) {
    CAPTURE(end_us);
    const StepClock clock = step_clock(end_us);
    CHECK(clock.last_step >= 1);
    CHECK(clock.last_step <= kMostSlices);
    CHECK(clock.time_us(0) == 0);
    CHECK(clock.time_us(clock.last_step) == clock.end_us);
    CHECK(clock.time_us(clock.last_step - 1) < clock.end_us);
    for (const std::int64_t step : {std::int64_t{0}, clock.last_step / 2, clock.last_step})
      CHECK(clock.step_at(clock.time_us(step)) == step);
  }
  CHECK(step_clock(219.99).slice_us == 1);
  CHECK(step_clock(36.87).slice_us == 0.1);
  CHECK(step_clock(219.99).step_at(20.5) == 21);  // not before it has passed
  CHECK(step_clock(219.99).step_at(-5) == 0);
  CHECK(step_clock(219.99).step_at(1e6) == 220);
}

// Board, lanes and curves of a GPU scene: nothing overlaps, nothing is lost, at every size and for every GPU.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "viz/layout/sm_blocks.h"
#include "viz/layout/sm_stage.h"

using namespace fdlab;

namespace {

constexpr std::int64_t kSms[] = {1, 4, 8, 17, 58, 108, 128, 132, 148};

const GpuScene& recorded_scene() {
  static const auto scene = [] {
    const auto recordings = read_recordings(FDLAB_SOURCE_DIR "/lessons/recordings");
    GpuSceneSpec spec;
    spec.splits = 17;
    return make_gpu_scene(spec, *recordings);
  }();
  REQUIRE(scene);
  return *scene;
}

double total(const std::vector<SmLoad>& samples, double SmLoad::*value, double end_us) {
  double sum = 0;
  for (const SmLoad& sample : samples) sum += sample.*value * end_us / static_cast<double>(samples.size());
  return sum;
}

}  // namespace

TEST_CASE("parts of the stage stand apart and inside it") {
  for (const Rect area : {Rect{404, 44, 1280, 628}, Rect{404, 44, 1280, 808}, Rect{352, 44, 1024, 676},
                          Rect{0, 44, 640, 628}, Rect{404, 44, 1600, 988}})
    for (const std::int64_t sms : kSms) {
      CAPTURE(area.width());
      CAPTURE(sms);
      const SmStageLayout layout = layout_sm_stage({area, 22, sms, 220});
      const std::vector<Rect> parts{layout.title,
                                    layout.grids[0].head,
                                    layout.grids[0].board.area,
                                    layout.grids[0].lanes.area,
                                    layout.grids[1].head,
                                    layout.grids[1].board.area,
                                    layout.grids[1].lanes.area,
                                    layout.legend,
                                    layout.time_labels,
                                    layout.sweep,
                                    layout.curves[0],
                                    layout.curves[1]};
      for (std::size_t i = 0; i < parts.size(); ++i) {
        CAPTURE(i);
        CHECK_FALSE(parts[i].is_empty());
        CHECK(area.covers(parts[i]));
        for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(parts[i].shrunk(0.5f, 0.5f).overlaps(parts[j]));
      }
      CHECK(layout.time.p0 == layout.curves[0].x0);
      CHECK(layout.time.p1 == layout.grids[0].lanes.area.x1);
      CHECK(layout.time.high >= 220);
    }
}

TEST_CASE("every SM has a square cell of its own, and the pointer finds it") {
  for (const std::int64_t sms : kSms) {
    CAPTURE(sms);
    const SmBoard board = layout_sm_stage({{0, 0, 876, 764}, 22, sms, 100}).grids[1].board;
    CHECK(board.pitch >= 0.78f * 22 - 1);
    for (std::int64_t sm = 0; sm < sms; ++sm) {
      CHECK(board.area.covers(board.cell(sm)));
      CHECK(board.sm_at(board.cell(sm).center()) == sm);
      for (const std::int64_t slots : {1, 2, 9}) {
        std::vector<Rect> places;
        for (std::int64_t slot = 0; slot < slots; ++slot) {
          const Rect place = board.slot(sm, slot, slots);
          CHECK(board.cell(sm).covers(place));
          CHECK_FALSE(place.is_empty());
          for (const Rect& other : places) CHECK_FALSE(place.overlaps(other));
          places.push_back(place);
        }
      }
    }
    CHECK(board.sm_at({board.area.x1 + 1, board.area.y0}) == -1);
  }
}

TEST_CASE("lanes cover their area without gaps") {
  for (const std::int64_t sms : kSms) {
    const SmLanes lanes = layout_sm_stage({{0, 0, 876, 584}, 22, sms, 100}).grids[0].lanes;
    CHECK(lanes.row(0).y0 == std::round(lanes.area.y0));
    CHECK(lanes.row(sms - 1).y1 == std::round(lanes.area.y1));
    for (std::int64_t place = 1; place < sms; ++place) CHECK(lanes.row(place).y0 == lanes.row(place - 1).y1);
    CHECK(lanes.place_at(lanes.area.y0 - 100) == 0);
    CHECK(lanes.place_at(lanes.area.y1 + 100) == sms - 1);
  }
}

TEST_CASE("no slot holds two blocks at a time, in the model and in a recording") {
  const GpuScene& scene = recorded_scene();
  for (const bool recorded : {false, true}) {
    CAPTURE(recorded);
    const std::vector<SmBlock> blocks = blocks_of(scene.b, recorded);
    REQUIRE(blocks.size() == 136);
    for (const SmBlock& a : blocks)
      for (const SmBlock& b : blocks)
        if (&a != &b && a.sm == b.sm && a.slot == b.slot)
          CHECK((a.end_us <= b.start_us + 1e-9 || b.end_us <= a.start_us + 1e-9));
  }
}

TEST_CASE("lanes: each SM once, those with blocks by their first one, the idle below") {
  std::vector<SmBlock> blocks(4);
  const std::int32_t sms[] = {5, 2, 5, 0};
  for (std::size_t i = 0; i < 4; ++i) blocks[i].sm = sms[i];
  CHECK(lanes_of(blocks, {3, 2, 1, 0, 5, 4}) == std::vector<std::int32_t>{5, 2, 0, 3, 1, 4});
  CHECK(lanes_of({}, {1, 0}) == std::vector<std::int32_t>{1, 0});
}

TEST_CASE("curves keep every byte and every busy SM") {
  const GpuScene& scene = recorded_scene();
  const double end_us = 60;
  const auto kv_bytes = static_cast<double>(scene.b.schedule.shape.kv_bytes());
  const auto recorded = load_of(blocks_of(scene.b, true)), model = load_of(scene.b.schedule);
  const double busy_us = std::accumulate(scene.b.schedule.split.sm_busy_us.begin(),
                                         scene.b.schedule.split.sm_busy_us.end(), 0.0);
  for (const int columns : {1, 7, 328, 2000}) {
    CAPTURE(columns);
    CHECK(total(sampled(recorded, end_us, columns), &SmLoad::gb_s, end_us) * 1e3 ==
          doctest::Approx(kv_bytes).epsilon(1e-6));
    CHECK(total(sampled(model, end_us, columns), &SmLoad::gb_s, end_us) * 1e3 ==
          doctest::Approx(kv_bytes).epsilon(1e-6));
    CHECK(total(sampled(model, end_us, columns), &SmLoad::busy_sms, end_us) ==
          doctest::Approx(busy_us).epsilon(1e-6));
  }
}

TEST_CASE("axes: round ticks that hold what they must, linear and logarithmic") {
  CHECK(round_tick(220, 5) == 50);
  CHECK(round_tick(132, 4) == 50);
  CHECK(round_tick(4.8, 5) == 1);
  CHECK(round_tick(1e-9, 5) > 0);
  const PlotAxis time = axis_from_zero(220, 5, 100, 350);
  CHECK(time.high == 250);
  CHECK(time.at(125) == 225);
  CHECK(time.value_at(225) == doctest::Approx(125));
  CHECK(time.at(-3) == 100);
  CHECK(time.value_at(1e6f) == 250);
  CHECK(ticks_of(time, 5) == std::vector<double>{0, 50, 100, 150, 200, 250});
  const PlotAxis log{30, 250, 100, 0, true};
  CHECK(log.at(30) == 100);
  CHECK(log.at(250) == 0);
  CHECK(ticks_of(log, 5) == std::vector<double>{50, 100, 200});
  CHECK(log.value_at(log.at(77)) == doctest::Approx(77).epsilon(1e-5));
}

#include "core/sim/against.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace fdlab;

namespace {

constexpr std::array kSeenByTheFit{"1x32x32x32768", "1x32x8x4096", "64x32x8x4096", "ragged-8",
                                   "splits-132",    "splits-17",   "splits-33",    "splits-66"};
constexpr std::array kHeldOut{"1x32x8x32768", "1x8x1x65536", "8x32x8x8192", "splits-1",
                              "splits-16",    "splits-2",    "splits-4",    "splits-8"};

/// Whole call, and SMs with work.
struct Pair {
  Residual time, busy;
};
Pair compare(const char* shape) {
  const auto recording =
      read_recording(std::string(FDLAB_SOURCE_DIR "/lessons/recordings/one-kernel_") + shape + ".json");
  REQUIRE_MESSAGE(recording, (recording ? "" : recording.fault().sentence));
  const auto comparison = compare_with(*find_gpu_of_device(recording->device), *recording);
  REQUIRE(comparison);
  return {comparison->residuals[0], comparison->residuals[4]};
}

}  // namespace

TEST_CASE("recordings the fit has not seen: time within 3.5 % on average, SMs with work within 1 point") {
  double time = 0, busy = 0;
  for (const char* shape : kHeldOut) {
    CAPTURE(shape);
    const Pair pair = compare(shape);
    time += std::abs(pair.time.relative()) / kHeldOut.size();
    busy += std::abs(pair.busy.predicted - pair.busy.measured) / kHeldOut.size();
    CHECK(std::abs(pair.time.relative()) < 0.1);
  }
  CHECK(time < 0.035);
  CHECK(busy < 1);
}

TEST_CASE(
    "split counts are ordered by speed as measured, wherever two measured times differ by more than 3 %") {
  std::vector<Residual> times;
  for (const char* splits : {"splits-1", "splits-2", "splits-4", "splits-8", "splits-16", "splits-17",
                             "splits-33", "splits-66", "splits-132"})
    times.push_back(compare(splits).time);
  for (const Residual& a : times)
    for (const Residual& b : times)
      if (a.measured > 1.03 * b.measured) CHECK(a.predicted > b.predicted);
}

TEST_CASE("the recordings that the fit has seen still read") {
  for (const char* shape : kSeenByTheFit) CHECK(compare(shape).time.measured > 0);
}

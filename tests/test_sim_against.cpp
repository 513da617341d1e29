#include "core/sim/against.h"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

using namespace fdlab;

namespace {

Comparison compare(const char* shape) {
  const auto recording =
      read_recording(std::string(FDLAB_SOURCE_DIR "/lessons/recordings/one-kernel_") + shape + ".json");
  REQUIRE_MESSAGE(recording, (recording ? "" : recording.fault().sentence));
  auto comparison = compare_with(*find_gpu_of_device(recording->device), *recording);
  REQUIRE(comparison);
  return std::move(*comparison);
}

}  // namespace

TEST_CASE(
    "split counts are ordered by speed as measured, wherever two measured times differ by more than 3 %") {
  std::vector<Residual> times;
  for (const char* splits : {"splits-1", "splits-2", "splits-4", "splits-8", "splits-16", "splits-17",
                             "splits-33", "splits-66", "splits-132"})
    times.push_back(compare(splits).call());
  for (const Residual& a : times)
    for (const Residual& b : times)
      if (a.measured > 1.03 * b.measured) CHECK(a.predicted > b.predicted);
}

TEST_CASE("what a recorder would have noted: as many blocks, and each SM as busy") {
  for (const char* shape : {"splits-1", "splits-33", "splits-132", "64x32x8x4096"}) {
    CAPTURE(shape);
    const Comparison comparison = compare(shape);
    const Residual &mean_block = comparison.residuals[2], &blocks = comparison.residuals[5];
    CHECK(blocks.predicted == blocks.measured);
    CHECK(std::abs(mean_block.relative()) < 0.05);
    CHECK(std::abs(comparison.sms_with_work().difference()) < 4);
  }
}

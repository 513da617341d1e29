#include "core/sim/calibration.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace fdlab;

namespace {

bool was_fitted_on(const MeasuredRead& row) { return row.threads == 128 || row.threads == 512; }

}  // namespace

TEST_CASE(
    "the constants predict the rows that the fit has not seen: every span within 5 %, the mean within 2 %") {
  const Gpu gpu = *find_gpu("h200");
  const ReadSweep sweep = read_sweep();
  REQUIRE(sweep.rows.size() == 52);
  REQUIRE(free_constants(gpu).size() <= 8);
  double sum = 0;
  int predicted_rows = 0;
  for (const MeasuredRead& row : sweep.rows) {
    const double error = predict_read(gpu, sweep, row).span_us / row.span_us - 1;
    CAPTURE(row.threads);
    CAPTURE(row.blocks);
    CHECK(std::abs(error) < 0.05);
    if (was_fitted_on(row)) continue;
    sum += std::abs(error);
    ++predicted_rows;
  }
  CHECK(predicted_rows == 26);
  CHECK(sum / predicted_rows < 0.02);
}

TEST_CASE("the stored constants are what the fit finds on the rows of 128 and 512 threads") {
  const Gpu stored = *find_gpu("h200");
  Gpu fitted = stored;
  fitted.memory = fit_memory_model(stored, read_sweep(), {128, 512});
  const auto have = free_constants(stored), want = free_constants(fitted);
  for (std::size_t i = 0; i < have.size(); ++i) {
    const std::string name = kFreeConstants[i];
    CAPTURE(name);
    CHECK(have[i] == doctest::Approx(want[i]).epsilon(0.01));
    MESSAGE(name, " ", want[i]);
  }
}

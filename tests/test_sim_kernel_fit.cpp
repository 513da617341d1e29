// The constants of the recorded kernels, fitted again: to every second recording, judged on the others.
#include "core/sim/kernel_fit.h"

#include <doctest/doctest.h>

#include "core/sim/measured.h"

using namespace fdlab;

namespace {

struct Fitted {
  FitHalves halves;
  KernelModel stored, fitted;
};

Fitted fit(const char* kernel) {
  const auto recordings = read_recordings(FDLAB_SOURCE_DIR "/lessons/recordings");
  REQUIRE(recordings);
  Fitted fit{halves_of(*recordings, kernel), *find_kernel(kernel), {}};
  fit.fitted = fit_kernel(*find_gpu("h200"), kernel, fit.halves.seen);
  return fit;
}

void report(const std::string& what, const FitError& error) {
  MESSAGE(what, ": time ", 100 * error.time, " %, SMs with work ", 100 * error.busy, " points");
}

}  // namespace

TEST_CASE("one-block: the stored constants are what the fit finds, and hold on what it has not seen") {
  const Gpu gpu = *find_gpu("h200");
  const Fitted one_block = fit("one-block");
  REQUIRE(one_block.halves.seen.size() == 3);
  REQUIRE(one_block.halves.held_out.size() == 3);
  for (const KernelConstant& constant : free_constants("one-block")) {
    const std::string name = constant.name;
    CAPTURE(name);
    CHECK(one_block.stored.*constant.value ==
          doctest::Approx(one_block.fitted.*constant.value).epsilon(0.01));
  }
  const FitError seen = error_of(gpu, one_block.stored, one_block.halves.seen),
                 held_out = error_of(gpu, one_block.stored, one_block.halves.held_out);
  report("one-block, seen", seen);
  report("one-block, held out", held_out);
  CHECK(held_out.time < 0.03);
  CHECK(held_out.busy < 0.03);
}

// Its seen half is short of memory almost throughout, so it leaves the arithmetic's share loosely determined: many constants fit
// it alike. The stored ones must be as good on it as the fit's.
TEST_CASE("one-kernel: the stored constants fit what was seen as well as the fit does") {
  const Gpu gpu = *find_gpu("h200");
  const Fitted one_kernel = fit("one-kernel");
  REQUIRE(one_kernel.halves.seen.size() == 8);
  const FitError stored = error_of(gpu, one_kernel.stored, one_kernel.halves.seen),
                 fitted = error_of(gpu, one_kernel.fitted, one_kernel.halves.seen),
                 held_out = error_of(gpu, one_kernel.stored, one_kernel.halves.held_out);
  report("one-kernel, seen, stored", stored);
  report("one-kernel, seen, fitted", fitted);
  report("one-kernel, held out, stored", held_out);
  CHECK(stored.time < fitted.time + 0.002);
  CHECK(stored.busy < fitted.busy + 0.002);
  CHECK(held_out.time < 0.035);
  CHECK(held_out.busy < 0.01);
}

TEST_CASE("a kernel that was not recorded has nothing to fit") {
  CHECK(free_constants("split").empty());
  CHECK(halves_of({}, "one-kernel").seen.empty());
}

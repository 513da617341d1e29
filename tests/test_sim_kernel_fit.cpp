// The constants of the recorded kernels, fitted again: to every second recording, judged on the others.
#include "core/sim/kernel_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

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

void check_constants(const char* kernel, const Fitted& fit) {
  for (const KernelConstant& constant : free_constants(kernel)) {
    const std::string name = constant.name;
    CAPTURE(name);
    CHECK(fit.stored.*constant.value == doctest::Approx(fit.fitted.*constant.value).epsilon(0.01));
  }
}

}  // namespace

TEST_CASE("one-block: the stored constants are what the fit finds, and hold on what it has not seen") {
  const Gpu gpu = *find_gpu("h200");
  const Fitted one_block = fit("one-block");
  REQUIRE(one_block.halves.seen.size() == 3);
  REQUIRE(one_block.halves.held_out.size() == 3);
  check_constants("one-block", one_block);
  const FitError held_out = error_of(gpu, one_block.stored, one_block.halves.held_out);
  report("one-block, seen", error_of(gpu, one_block.stored, one_block.halves.seen));
  report("one-block, held out", held_out);
  CHECK(held_out.time < 0.03);
  CHECK(held_out.busy < 0.03);
}

TEST_CASE("one-kernel: the stored constants are what the fit finds, and hold on what it has not seen") {
  const Gpu gpu = *find_gpu("h200");
  const Fitted one_kernel = fit("one-kernel");
  REQUIRE(one_kernel.halves.seen.size() == 8);
  REQUIRE(one_kernel.halves.held_out.size() == 8);
  check_constants("one-kernel", one_kernel);
  const FitError held_out = error_of(gpu, one_kernel.stored, one_kernel.halves.held_out);
  report("one-kernel, seen", error_of(gpu, one_kernel.stored, one_kernel.halves.seen));
  report("one-kernel, held out", held_out);
  CHECK(held_out.time < 0.03);
  CHECK(held_out.busy < 0.03);
}

// tests/data/recordings: twelve shapes that were recorded before, and not looked at until the models were done.
TEST_CASE("the models hold on shapes that nobody had looked at when they were made") {
  const Gpu gpu = *find_gpu("h200");
  const auto recordings = read_recordings(FDLAB_SOURCE_DIR "/tests/data/recordings");
  REQUIRE(recordings);
  REQUIRE(recordings->size() == 12);
  for (const std::string kernel : {"one-block", "one-kernel"}) {
    std::vector<Recording> own;
    std::copy_if(recordings->begin(), recordings->end(), std::back_inserter(own),
                 [&](const Recording& r) { return r.kernel == kernel; });
    REQUIRE(own.size() >= 5);
    const FitError error = error_of(gpu, *find_kernel(kernel), own);
    report(kernel + ", unseen", error);
    CHECK(error.time < 0.03);
    CHECK(error.busy < 0.03);
  }
}

TEST_CASE("every second recording is seen, from the largest down, whatever their order was") {
  std::vector<Recording> recordings(4);
  for (std::size_t i = 0; i < 4; ++i) {
    recordings[i].kernel = i == 3 ? "one-block" : "one-kernel";
    recordings[i].problem.batch = 1;
    recordings[i].num_splits = static_cast<std::int64_t>(1 + (i + 1) % 3);  // 2, 3, 1
  }
  const FitHalves halves = halves_of(recordings, "one-kernel");
  REQUIRE(halves.seen.size() == 2);
  CHECK(halves.seen[0].num_splits == 3);
  CHECK(halves.held_out[0].num_splits == 2);
  CHECK(halves.seen[1].num_splits == 1);
}

TEST_CASE("a kernel that was not recorded has nothing to fit") {
  CHECK(free_constants("split").empty());
  CHECK(halves_of({}, "one-kernel").seen.empty());
}

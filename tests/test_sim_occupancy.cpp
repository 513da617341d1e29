#include "core/sim/occupancy.h"

#include <doctest/doctest.h>

#include <string>

using namespace fdlab;

namespace {

Occupancy on(const char* gpu, BlockResources block) { return occupancy_of(block, *find_gpu(gpu)); }

}  // namespace

TEST_CASE("occupancy follows the CUDA guide's rule and says what limits it") {
  const auto is = [](Occupancy found, std::int64_t blocks, const std::string& limit) {
    CHECK(found.blocks_per_sm == blocks);
    CHECK(found.limit == limit);
  };
  is(on("h200", {1024, 40, 0}), 1, "registers");  // as measured: the 133rd block waits
  is(on("h200", {512, 40, 0}), 3, "registers");   // as measured: 396 blocks start together
  is(on("h200", {1024, 32, 0}), 2, "threads");
  is(on("h200", {32, 16, 0}), 32, "blocks");
  is(on("h200", {256, 128, 98304}), 2, "registers");
  is(on("h200", {256, 64, 98304}), 2, "shared memory");
  is(on("h200", {128, 183, 86016}), 2, "registers");  // the library kernel of notes-gpu: two an SM
  is(on("h200", {33, 32, 0}), 32, "blocks");          // a started warp is a whole warp
  is(on("l4", {1024, 32, 0}), 1, "threads");          // 1536 threads an SM
  is(on("a100", {256, 32, 100 * 1024}), 1, "shared memory");
}

TEST_CASE("a block that fits no SM is refused") {
  const Gpu gpu = *find_gpu("h200");
  const auto refusal = [&](BlockResources block) { return find_fault(block, gpu).value_or(""); };
  CHECK(refusal({1024, 40, 232448}) == "");
  CHECK(refusal({1024, 255, 0}) ==
        "expected a block that fits an SM of NVIDIA H200, found one that needs more registers");
  CHECK(refusal({0, 40, 0}) == "expected 1 to 1024 threads a block, found 0");
  CHECK(refusal({1025, 40, 0}) == "expected 1 to 1024 threads a block, found 1025");
  CHECK(refusal({128, 256, 0}) == "expected 1 to 255 registers a thread, found 256");
  CHECK(refusal({128, 40, 232449}) ==
        "expected 0 to 232448 bytes of shared memory a block on NVIDIA H200, found 232449");
}

// What a control makes of a GPU scene: a pure function, so tested without a window.
#include "viz/gpu_controls.h"

#include <doctest/doctest.h>

#include "core/sim/gpu.h"

using namespace fdlab;
using enum CommandId;

namespace {

GpuSceneSpec after(GpuSceneSpec spec, CommandId id, std::int64_t argument = 0, std::int64_t splits = 16) {
  const auto changed = apply_control(spec, {id, argument}, splits);
  REQUIRE(changed);
  return *changed;
}

}  // namespace

TEST_CASE("up and down undo each other, and both stop at their ends") {
  struct Pair {
    CommandId up, down;
    std::int64_t GpuSceneSpec::*value;
    std::int64_t least, most;
  };
  for (const Pair& pair : {Pair{batch_up, batch_down, &GpuSceneSpec::batch, 1, kMostBatch},
                           Pair{kv_heads_up, kv_heads_down, &GpuSceneSpec::kv_heads, 1, kMostKvHeads},
                           Pair{group_up, group_down, &GpuSceneSpec::group, 1, kMostGroup},
                           Pair{length_up, length_down, &GpuSceneSpec::kv_len, kLeastKvLen, kMostKvLen}}) {
    GpuSceneSpec spec;
    const std::int64_t up = after(spec, pair.up).*pair.value;
    CHECK(up == 2 * (spec.*pair.value));
    CHECK(after(after(spec, pair.up), pair.down).*pair.value == spec.*pair.value);
    spec.*pair.value = 3 * 256;
    if (pair.most >= 1024)
      CHECK(after(spec, pair.down).*pair.value == 512);  // from between, to the next power
    for (int i = 0; i < 30; ++i) spec = after(spec, pair.up);
    CHECK(spec.*pair.value == pair.most);
    for (int i = 0; i < 30; ++i) spec = after(spec, pair.down);
    CHECK(spec.*pair.value == pair.least);
  }
}

TEST_CASE("splits count from what the rule took, and go back to it") {
  const GpuSceneSpec by_rule;
  CHECK(after(by_rule, splits_up).splits == 17);
  CHECK(after(by_rule, splits_down).splits == 15);
  CHECK(after(by_rule, splits_down, 0, 1).splits == 1);
  CHECK(after(by_rule, set_splits, 5000).splits == kMostShownSplits);
  CHECK_FALSE(after(after(by_rule, set_splits, 4), splits_auto).splits);
}

TEST_CASE("a changed batch is that of both launches") {
  GpuSceneSpec spec;
  spec.batch = 133;
  spec.a_batch = 132;
  CHECK_FALSE(after(spec, batch_down).a_batch);
  CHECK(after(spec, batch_down).batch == 128);
  CHECK(after(spec, length_up).a_batch == 132);
}

TEST_CASE("GPUs go round; other commands are none of these") {
  GpuSceneSpec spec;
  for (std::size_t i = 0; i < builtin_gpu_names().size(); ++i) spec = after(spec, gpu_next);
  CHECK(spec == GpuSceneSpec{});
  CHECK(after(after(spec, gpu_next), gpu_back) == spec);
  CHECK_FALSE(apply_control(spec, {step_next}, 1));
  CHECK_FALSE(apply_control(spec, {quit}, 1));
}

// The planner and the simulator take the same splits: they ask the same rule, and must ask it the same question.
#include "core/plan/choose_splits.h"

#include <doctest/doctest.h>

#include "core/sim/simulate.h"
#include "cuda/plan.h"

using namespace fdlab;

TEST_CASE("a plan takes as many splits as `fdlab simulate --kernel one-kernel --splits auto`") {
  const Gpu gpu = *find_gpu("h200");
  const KernelModel kernel = *find_kernel("one-kernel");
  constexpr DeviceLimits kH200{132, 233472, 232448, 90};
  for (const std::int32_t batch : {1, 2, 8, 64, 300})
    for (const std::int32_t kv_heads : {1, 8, 32})
      for (const std::int32_t kv_len : {1, 100, 1000, 4096, 32768, 65536, 131072})
        for (const std::int32_t head_dim : {64, 128}) {
          CAPTURE(batch);
          CAPTURE(kv_heads);
          CAPTURE(kv_len);
          CAPTURE(head_dim);
          DeviceProblem p;
          p.batch = batch, p.q_heads = 4 * kv_heads, p.kv_heads = kv_heads, p.kv_len = kv_len;
          p.head_dim = p.v_head_dim = head_dim;
          p.scale = 1;
          p.o_type = DType::bf16;
          p.q = {nullptr, DType::bf16, p.q_heads * head_dim, head_dim, head_dim};
          p.k = p.v = {nullptr, DType::bf16, std::int64_t{1} * kv_heads * kv_len * head_dim,
                       std::int64_t{1} * kv_len * head_dim, head_dim};
          const PlanResult planned = make_plan(p, kH200);
          REQUIRE(planned.plan);
          const DecodeShape shape{batch, p.q_heads, kv_heads, 1, kv_len, head_dim, head_dim, DType::bf16, {}};
          CHECK(planned.plan->rule.num_splits == auto_splits(gpu, kernel, shape));
        }
}

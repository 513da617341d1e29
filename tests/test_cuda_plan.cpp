#include "cuda/plan.h"

#include "cuda/ladder.h"
#include "tests/cuda_expect.h"

using namespace fdlab;

namespace {

constexpr DeviceLimits kH200{132, 233472, 232448, 90}, kA100{108, 167936, 166912, 80},
    kSmall{20, 102400, 101376, 86};

DeviceProblem shape(std::int32_t batch, std::int32_t q_heads, std::int32_t kv_heads, std::int32_t kv_len,
                    std::int32_t dim, DType type = DType::bf16) {
  DeviceProblem p;
  p.batch = batch, p.q_heads = q_heads, p.kv_heads = kv_heads, p.kv_len = kv_len;
  p.head_dim = p.v_head_dim = dim;
  p.scale = 1;
  p.o_type = DType::f32;
  p.q = {nullptr, type == DType::e4m3 ? DType::bf16 : type, q_heads * dim, dim, dim};
  p.k = p.v = {nullptr, type, std::int64_t{1} * kv_heads * kv_len * dim, std::int64_t{1} * kv_len * dim, dim};
  return p;
}

}  // namespace

TEST_CASE("split ranges cover the visible keys exactly once, whatever the length and the count") {
  for (const int num_splits : {1, 2, 7, 132})
    for (const int min_tiles : {1, 3, 50})
      for (const int begin : {0, 5, 16, 100})
        for (const int size : {0, 1, 15, 16, 17, 333, 5000}) {
          const SplitRule rule{num_splits, min_tiles};
          const KeySpan span{begin, begin + size};
          int next = begin;
          for (int s = 0; s < num_splits; ++s) {
            const KeySpan keys = rule.split(span, s);
            CHECK((keys.size() > 0) == (s < rule.used(span)));
            if (keys.size() == 0) continue;
            CHECK(keys.begin == next);
            CHECK((s == 0 || keys.begin % kTileKeys == 0));
            next = keys.end;
          }
          CHECK(next == begin + size);
        }
}

TEST_CASE("at most 40 kernels are compiled as instances, each for a combination of its own") {
  int kernels = 0;
  for (const DecodeInstance& instance : decode_instances())
    for (int rows = 8; rows <= instance.most_rows; rows *= 2) ++kernels;
  CHECK(kernels <= 40);
  CHECK(kernels >= 38);
  for (const DecodeInstance& instance : decode_instances()) {
    CHECK((instance.most_rows == 8 || instance.most_rows == 16 || instance.most_rows == 32));
    CHECK((instance.launch != nullptr));
    CHECK(find_instance(instance.kv_type, instance.head_dim) == &instance);
  }
}

TEST_CASE(
    "every combination of type and head size is dispatched, to an instance or to rung 4, or refused by "
    "name") {
  const Rung& generic = ladder()[3];
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::e4m3})
    for (int dim = 1; dim <= 520; ++dim) {
      const DeviceProblem p = shape(2, 8, 2, 100, dim, type);
      const PlanResult planned = make_plan(p, kH200);
      CAPTURE(dim);
      if (!planned.plan) {
        CHECK((type == DType::f64 || dim > 512));
        CHECK(planned.fault.find("expected") == 0);
        CHECK(planned.fault.find(dim > 512 ? std::to_string(dim) : "f64") != std::string::npos);
        continue;
      }
      const DecodeInstance* instance = find_instance(type, dim);
      CHECK(planned.plan->is_tuned == (instance != nullptr));
      if (!instance) CHECK(!generic.find_refusal(p));
      const char* cores = type == DType::f32 ? "ordinary-core " : "tensor-core ";
      const std::string name = std::string(instance ? cores : "generic ") + name_of(type);
      CHECK(planned.plan->kernel.find(name) == 0);
      for (const Rung& rung : ladder())
        if (const auto refusal = rung.find_refusal(p))
          CHECK(refusal->find(std::string("found ") + name_of(type) + " of head_dim " +
                              std::to_string(dim)) != std::string::npos);
    }
}

TEST_CASE(
    "calls overlap their predecessor, but for gigabytes in splits and before sm_90, where no promise helps") {
  const auto overlaps = [](const DeviceProblem& p, const DeviceLimits& device) {
    const PlanResult planned = make_plan(p, device, {.kv_is_ready = true});
    CHECK(planned.plan->kv_is_ready == planned.plan->overlaps);
    return planned.plan->overlaps;
  };
  CHECK(overlaps(shape(1, 32, 8, 131072, 128), kH200));
  CHECK(overlaps(shape(64, 32, 8, 16384, 128), kH200));  // 4 GB, but one split
  CHECK(!overlaps(shape(1, 64, 8, 1 << 20, 128), kH200));
  CHECK(!overlaps(shape(1, 32, 32, 131072, 128), kH200));
  CHECK(!overlaps(shape(1, 32, 8, 4096, 128), kA100));
}

TEST_CASE("blocks that wait for others leave SMs free for those: no plan can stand still") {
  for (const DeviceLimits& device : {kH200, kA100, kSmall, DeviceLimits{1, 102400, 101376, 86}})
    for (const int heads : {1, 2, 8, 128})
      for (const int splits : {0, 2, 16, 512}) {
        const auto planned = make_plan(shape(1, heads, 1, 1 << 20, 128), device, {.num_splits = splits});
        if (!planned.plan) {
          CHECK((splits == 512 && device.num_sms < 64));
          continue;
        }
        CHECK(planned.plan->mergers >= 1);
        CHECK(planned.plan->mergers <= std::max(1, device.num_sms / 2));
        const auto many =
            make_plan(shape(1, heads, 1, 1 << 20, 128), device, {.num_splits = splits, .priorities = 6});
        if (many.plan) CHECK(many.plan->mergers <= std::max(1, device.num_sms / 6));
      }
}

TEST_CASE("plans fill the SMs at batch 1 for any head count, from the device's properties") {
  for (const DeviceLimits& device : {kH200, kA100, kSmall})
    for (const int heads : {1, 2, 3, 5, 8, 32}) {
      const PlanResult planned = make_plan(shape(1, 4 * heads, heads, 1 << 20, 128), device);
      REQUIRE(planned.plan);
      const int blocks = planned.plan->num_units * planned.plan->rule.num_splits;
      CHECK(blocks * 4 >= device.num_sms * 3);
      CHECK(planned.plan->shared_bytes <= device.shared_per_block);
    }
}

TEST_CASE("shared memory fits every device for every instance, row count and warp count") {
  for (const DeviceLimits& device : {kH200, kA100, kSmall})
    for (const DecodeInstance& instance : decode_instances())
      for (const int heads : {8, 16, 128})
        for (const int warps : {0, 1, 2, 4, 8})
          for (const int splits : {0, 1, 8, 512}) {
            const auto planned = make_plan(shape(1, heads, 1, 100000, instance.head_dim, instance.kv_type),
                                           device, {.num_splits = splits, .warps = warps});
            if (!planned
                     .plan) {  // a merge of very many partials by the few blocks that may wait for each other
              CHECK((splits == 512 && device.num_sms < 64));
              CHECK(planned.fault.find("expected fewer splits") == 0);
              continue;
            }
            CHECK(planned.plan->shared_bytes + 1536 <= device.shared_per_block);
          }
}

TEST_CASE("a block takes the rows of a group, 32 where keys are many and a kernel has them") {
  const auto rows = [](const DeviceProblem& p) { return make_plan(p, kH200).plan->rows_per_block; };
  CHECK(rows(shape(1, 8, 1, 1 << 20, 128)) == 8);
  CHECK(rows(shape(1, 16, 1, 1 << 20, 128)) == 16);
  CHECK(rows(shape(1, 32, 1, 262144, 128)) == 32);
  CHECK(rows(shape(1, 32, 1, 32768, 128)) == 16);
  CHECK(rows(shape(1, 32, 1, 1 << 20, 64)) == 16);
  CHECK(rows(shape(1, 32, 1, 1 << 20, 128, DType::f32)) == 16);
  CHECK(rows(shape(1, 32, 1, 1 << 20, 80, DType::f32)) == 8);
  CHECK(make_plan(shape(1, 40, 1, 262144, 128), kH200).plan->row_tiles == 2);
}

TEST_CASE("bad shapes are refused with both numbers") {
  CHECK(make_plan(shape(1, 3, 2, 10, 64), kH200).fault.find("3 query heads and 2 KV heads") !=
        std::string::npos);
  CHECK(make_plan(shape(1, 1, 0, 10, 64), kH200).fault.find("0 KV heads") != std::string::npos);
  CHECK(make_plan(shape(-1, 1, 1, 10, 64), kH200).fault.find("-1") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64), kH200, {.num_splits = 513}).fault.find("513") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64), kH200, {.rows = 32}).fault.find("found 32") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64), kH200, {.warps = 9}).fault.find("found 9") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64), kH200, {.warps = -1}).fault.find("found -1") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64, DType::e4m3), kH200, {.stages = 9}).fault.find("found 9") !=
        std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 10, 64), kH200, {.priorities = 0}).fault.find("found 0") !=
        std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 1000, 64), kH200, {.num_splits = 8, .merge = SplitMerge::none})
            .fault.find("8 splits, found none") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, (1 << 30) + 1, 64), kH200).fault.find("1073741825") != std::string::npos);
  CHECK(make_plan(shape(1, 1, 1, 1 << 30, 64), kH200).plan);
  CHECK(make_plan(shape(65537, 65536, 65536, 1, 64), kH200).fault.find("65537 × 65536 × 1") !=
        std::string::npos);
  for (const float bad : {-1.0f, std::nanf(""), INFINITY}) {
    DeviceProblem capped = shape(1, 1, 1, 10, 64), scaled = capped;
    capped.features.softcap = bad;
    CHECK(make_plan(capped, kH200).fault.find("softcap") != std::string::npos);
    scaled.scale = bad;
    CHECK(make_plan(scaled, kH200).plan.has_value() == (bad == -1.0f));
  }
  DeviceProblem mixed = shape(1, 1, 1, 10, 64);
  mixed.v.type = DType::f16;
  CHECK(make_plan(mixed, kH200).fault.find("bf16 and f16") != std::string::npos);
}

TEST_CASE("offsets are 64 bits wide (flash-attention#1500)") {
  DeviceTensor t;
  t.batch_stride = std::int64_t{1} << 30;
  t.head_stride = std::int64_t{128} * 512 * 256;
  CHECK(t.offset(2, 0, 0) == std::int64_t{2147483648});
  CHECK(t.offset(0, 128, 0) == std::int64_t{128} * 128 * 512 * 256);
}

#include "cuda/decode.h"

#include <numeric>
#include <random>

#include "core/problem/encode.h"
#include "cuda/ladder.h"
#include "tests/cuda_expect.h"

using namespace fdlab;

namespace {

void expect_instances_right(DType type) {
  int instances = 0;
  for (const DecodeInstance& instance : decode_instances()) {
    if (instance.kv_type != type) continue;
    ++instances;
    for (const std::int64_t group : {1, 3, 8, 16})
      for (const std::int64_t q_len : {1, 2})
        for (const int splits : {1, 2, 9, 70})
          for (const SplitMerge merge : {SplitMerge::cluster, SplitMerge::last_arriver}) {
            const CudaCase random(
                {2, 2 * group, 2, q_len, 333, instance.head_dim, instance.head_dim, type, {333, 100}}, 5);
            const std::int32_t rows_of_block = group * q_len > 16 ? instance.most_rows : 0;
            CAPTURE(instance.head_dim);
            CAPTURE(group);
            CAPTURE(q_len);
            CAPTURE(splits);
            CAPTURE(std::string(name_of(merge)));
            const DeviceOutput out =
                run_poisoned(random.problem, {.num_splits = splits, .merge = merge, .rows = rows_of_block});
            CHECK(out.plan.is_tuned);
            CHECK(out.plan.rule.num_splits == splits);
            expect_right(random.problem, out);
          }
  }
  CHECK(instances >= 4);
}

}  // namespace

// Groups, query rows, splits, both merges. A case for each type, so that a sanitizer's runs fit a machine's time.
TEST_CASE("every tuned f32 instance equals plain attention") { expect_instances_right(DType::f32); }
TEST_CASE("every tuned f16 instance equals plain attention") { expect_instances_right(DType::f16); }
TEST_CASE("every tuned bf16 instance equals plain attention") { expect_instances_right(DType::bf16); }
TEST_CASE("every tuned e4m3 instance equals plain attention") { expect_instances_right(DType::e4m3); }

TEST_CASE("a split count of its own choice spreads one head over the device (flash-attention#2901)") {
  const CudaCase random({1, 1, 1, 1, 65536, 64, 64, DType::bf16});
  const DeviceOutput out = run_poisoned(random.problem);
  CHECK(out.plan.rule.num_splits > device_limits().num_sms / 3);
  expect_right(random.problem, out);
}

TEST_CASE("q and output types: f32, f16 and bf16 queries on every cache") {
  for (const DType cache : kKvTypes)
    for (const DType query : {DType::f32, DType::f16, DType::bf16}) {
      CudaCase random({1, 4, 2, 1, 100, 64, 64, cache}, 11);
      std::vector<float> values;
      for (int h = 0; h < 4; ++h)
        for (int c = 0; c < 64; ++c)
          values.push_back(1.1f * static_cast<float>(random.problem.q.at(0, h, 0, c)));
      const Tensor q = make_tensor("q", {1, 4, 1, 64}, query, values);
      random.problem.q = {q.data.get(), query, c_order_strides(4, 1, 64)};
      CAPTURE(std::string(name_of(cache)));
      CAPTURE(std::string(name_of(query)));
      const DeviceOutput out = run_poisoned(random.problem);
      expect_right(random.problem, out);
      const bool is_narrower = query != DType::f32 && cache == DType::e4m3;
      CHECK(out.plan.is_tuned == (cache == DType::f32 || cache == query || is_narrower));
    }
}

TEST_CASE("token-major caches, odd strides and misaligned rows give plain attention's result") {
  CudaCase random({2, 4, 2, 1, 90, 64, 64, DType::f16}, 13);
  SUBCASE("kv_len before kv_heads") {
    random.problem.k.stride = random.problem.v.stride = {90 * 2 * 64, 64, 2 * 64, 1};
    CHECK(run_poisoned(random.problem).plan.is_tuned);
  }
  SUBCASE("head_dim cut from wider rows that start anywhere") {
    random.problem.head_dim = random.problem.v_head_dim = 63;
    random.problem.k.data = static_cast<const std::uint16_t*>(random.problem.k.data) + 1;
  }
  expect_right(random.problem, run_poisoned(random.problem));
}

TEST_CASE("paged caches of any page size give the contiguous cache's bits") {
  for (const DType type : kKvTypes)
    for (const int page_size : {1, 7, 16, 64, 256}) {
      const std::int64_t kv_len = 300, dim = 64, heads = 2;
      const CudaCase random({2, 4, heads, 1, kv_len, dim, dim, type, {300, 77}}, 17);
      const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
      REQUIRE(uploaded);
      const PlanResult planned = make_plan(uploaded->problem(), device_limits(), {.num_splits = 5});
      REQUIRE(planned.plan);
      const Workspace workspace = upload_plan(*planned.plan);
      const DeviceOutput contiguous = run_poisoned(*uploaded, *planned.plan, workspace);

      // Pages in random order; slot s of page g holds a token of every head.
      const std::int64_t pages_each = (kv_len + page_size - 1) / page_size;
      std::vector<std::int32_t> table(static_cast<std::size_t>(2 * pages_each));
      std::iota(table.begin(), table.end(), 0);
      std::shuffle(table.begin(), table.end(), std::mt19937(page_size));
      const std::size_t element = size_in_bytes(type), row = static_cast<std::size_t>(dim) * element;
      const auto paged = [&](const Tensor& t) {
        std::vector<std::byte> cache(table.size() * static_cast<std::size_t>(page_size * heads) * row,
                                     std::byte{0xff});
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t n = 0; n < kv_len; ++n) {
              const std::int64_t page = table[static_cast<std::size_t>(b * pages_each + n / page_size)];
              std::memcpy(cache.data() +
                              static_cast<std::size_t>((page * page_size + n % page_size) * heads + h) * row,
                          static_cast<const std::byte*>(static_cast<const void*>(t.data.get())) +
                              static_cast<std::size_t>((b * heads + h) * kv_len + n) * row,
                          row);
            }
        DeviceBuffer buffer(cache.size());
        FD_CUDA(cudaMemcpy(buffer.data(), cache.data(), cache.size(), cudaMemcpyHostToDevice));
        return buffer;
      };
      const DeviceBuffer k = paged(random.k), v = paged(random.v), device_table(table.size() * 4);
      FD_CUDA(cudaMemcpy(device_table.data(), table.data(), table.size() * 4, cudaMemcpyHostToDevice));
      Result<UploadedProblem> with_pages = UploadedProblem::of(random.problem);
      DeviceProblem& p = with_pages->problem();
      p.k = {k.data(), type, page_size * heads * dim, dim, heads * dim};
      p.v = {v.data(), type, page_size * heads * dim, dim, heads * dim};
      p.pages = {device_table.as<std::int32_t>(), pages_each, page_size};
      CAPTURE(std::string(name_of(type)));
      CAPTURE(page_size);
      const DeviceOutput out = run_poisoned(*with_pages, *planned.plan, workspace);
      CHECK(same_bits(out.o, contiguous.o));
      CHECK(same_bits(out.lse_ln, contiguous.lse_ln));
    }
}

TEST_CASE(
    "what lies in unused slots never reaches the output, NaN included (flash-attention#1745, vllm#47305)") {
  for (const DType type : {DType::f32, DType::bf16})
    for (const int splits : {1, 4}) {
      CudaCase random({1, 4, 1, 1, 96, 64, 64, type, {41}}, 19);
      const DeviceOutput clean = run_poisoned(random.problem, {.num_splits = splits});
      const std::size_t from = 41 * 64 * size_in_bytes(type), all = 96 * 64 * size_in_bytes(type);
      std::memset(const_cast<std::byte*>(static_cast<const std::byte*>(random.problem.k.data)) + from, 0xff,
                  all - from);
      std::memset(const_cast<std::byte*>(static_cast<const std::byte*>(random.problem.v.data)) + from, 0xff,
                  all - from);
      const DeviceOutput dirty = run_poisoned(random.problem, {.num_splits = splits});
      CHECK(same_bits(clean.o, dirty.o));
      CHECK(same_bits(clean.lse_ln, dirty.lse_ln));
      random.problem.kv_lens = {42};
      const DeviceOutput poisoned = run_poisoned(random.problem, {.num_splits = splits});
      CHECK(std::isnan(poisoned.o[0]));
    }
}

TEST_CASE("the same plan gives the same bits 100 times, with or without batch mates") {
  for (const SplitMerge merge : {SplitMerge::cluster, SplitMerge::last_arriver}) {
    const CudaCase random({4, 8, 2, 1, 700, 128, 128, DType::bf16, {700, 650, 13, 400}}, 23);
    const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
    const PlanResult planned =
        make_plan(uploaded->problem(), device_limits(), {.num_splits = 8, .merge = merge});
    const Workspace workspace = upload_plan(*planned.plan);
    const DeviceOutput first = run_poisoned(*uploaded, *planned.plan, workspace);
    for (int i = 0; i < repeats(100); ++i) {
      const DeviceOutput again = run_poisoned(*uploaded, *planned.plan, workspace);
      REQUIRE(same_bits(first.o, again.o));
      REQUIRE(same_bits(first.lse_ln, again.lse_ln));
    }
    DecodeProblem alone = random.problem;  // the first sequence, same slots, same splits
    alone.batch = 1;
    alone.kv_lens = {700};
    const DeviceOutput single = run_poisoned(alone, {.num_splits = 8, .merge = merge});
    CHECK(same_bits(single.o,
                    {first.o.begin(), first.o.begin() + static_cast<std::ptrdiff_t>(single.o.size())}));
  }
}

TEST_CASE("a launch leaves its scratch as it found it, and rungs on the same workspace do not disturb it") {
  for (const SplitMerge merge : {SplitMerge::cluster, SplitMerge::last_arriver})
    for (const int splits : {1, 2, 16, 70}) {
      const CudaCase random({4, 8, 2, 1, 700, 64, 64, DType::bf16, {700, 0, 13, 400}}, 37);
      const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
      const PlanResult planned =
          make_plan(uploaded->problem(), device_limits(), {.num_splits = splits, .merge = merge});
      const CudaPlan& plan = *planned.plan;
      const Workspace workspace = upload_plan(plan);
      CAPTURE(splits);
      for (const Rung& rung : ladder()) {
        rung.launch(uploaded->problem(), plan, workspace, nullptr);
        launch_decode(uploaded->problem(), plan, workspace, nullptr);
        expect_right(random.problem, uploaded->output());
      }
      std::vector<std::uint32_t> words(plan.awaited_floats), tickets(plan.num_tickets);
      FD_CUDA(cudaMemcpy(words.data(), workspace.partials.data(), words.size() * 4, cudaMemcpyDeviceToHost));
      FD_CUDA(
          cudaMemcpy(tickets.data(), workspace.tickets.data(), tickets.size() * 4, cudaMemcpyDeviceToHost));
      CHECK(std::all_of(words.begin(), words.end(), [](std::uint32_t w) { return w == 0xffffffff; }));
      CHECK(std::all_of(tickets.begin(), tickets.end(), [](std::uint32_t t) { return t == 0; }));
      CHECK(!tickets.empty());
    }
}

TEST_CASE("a captured graph stays right when lengths shrink") {
  CudaCase random({3, 4, 2, 1, 500, 64, 64, DType::f16, {500, 320, 7}}, 29);
  const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
  const PlanResult planned = make_plan(uploaded->problem(), device_limits(), {.num_splits = 6});
  const Workspace workspace = upload_plan(*planned.plan);
  cudaStream_t stream;
  FD_CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  FD_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 3; ++i) launch_decode(uploaded->problem(), *planned.plan, workspace, stream);
  FD_CUDA(cudaStreamEndCapture(stream, &graph));
  FD_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (const std::vector<std::int64_t>& lens :
       {std::vector<std::int64_t>{500, 320, 7}, {499, 0, 1}, {16, 17, 500}, {0, 0, 0}}) {
    const std::vector<std::int32_t> narrow(lens.begin(), lens.end());
    FD_CUDA(cudaMemcpy(const_cast<std::int32_t*>(uploaded->problem().kv_lens), narrow.data(), 12,
                       cudaMemcpyHostToDevice));
    FD_CUDA(cudaMemset(uploaded->problem().o, 0xff, 3 * 4 * 64 * 4));
    FD_CUDA(cudaGraphLaunch(executable, stream));
    FD_CUDA(cudaStreamSynchronize(stream));
    random.problem.kv_lens = lens;
    expect_right(random.problem, uploaded->output());
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_CASE("launches that overlap their predecessor give the bits of those that do not") {
  const CudaCase random({1, 32, 8, 1, 2000, 128, 128, DType::bf16}, 31);
  const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
  for (const SplitMerge merge : {SplitMerge::cluster, SplitMerge::last_arriver}) {
    const PlanResult waits =
        make_plan(uploaded->problem(), device_limits(), {.num_splits = 8, .merge = merge, .warps = 8});
    const PlanResult ready = make_plan(uploaded->problem(), device_limits(),
                                       {.num_splits = 8, .merge = merge, .warps = 8, .kv_is_ready = true});
    const DeviceOutput expected = run_poisoned(*uploaded, *waits.plan, upload_plan(*waits.plan));
    const Workspace workspace = upload_plan(*ready.plan);
    for (int i = 0; i < repeats(50); ++i) launch_decode(uploaded->problem(), *ready.plan, workspace, nullptr);
    CHECK(same_bits(uploaded->output().o, expected.o));
  }
}

TEST_CASE(
    "closed forms: more splits than tiles, a tail key, ten weights (rocMLIR#2371, flash-attention#1076)") {
  for (const DType type : {DType::f32, DType::f16})
    for (const int splits : {1, 2, 3, 16, 256}) {
      std::vector<float> scores(10, 0.0f), values{1, 2, 3, 3, 4, 4, 5, 5, 5, 5};
      const DeviceOutput ten =
          run_poisoned(ScoreProblem(scores, values, type).problem, {.num_splits = splits});
      CHECK(ten.o[0] == doctest::Approx(3.7).epsilon(2e-4));
      CHECK(ten.lse_ln[0] == doctest::Approx(2.302585).epsilon(1e-6));
      scores.assign(257, 0.0f), values.resize(257);
      std::iota(values.begin(), values.end(), 0.0f);
      const DeviceOutput tail =
          run_poisoned(ScoreProblem(scores, values, type).problem, {.num_splits = splits});
      CHECK(tail.o[0] == doctest::Approx(128).epsilon(2e-4));
      CHECK(tail.lse_ln[0] == doctest::Approx(5.549076).epsilon(1e-6));
    }
}

TEST_CASE(
    "huge scores: one key of 133120 has weight 1; a hundred thousand in q.k is no overflow "
    "(pytorch#121558)") {
  const std::vector<float> huge(64, 133120.0f), forty(64, 40.0f);
  const Tensor q = make_tensor("q", {1, 1, 1, 64}, DType::bf16, huge);
  DecodeProblem one;
  one.kv_len = 1, one.head_dim = one.v_head_dim = 64, one.scale = 0.125;
  one.q = one.k = one.v = {q.data.get(), DType::bf16, c_order_strides(1, 1, 64)};
  const DeviceOutput out = run_poisoned(one);
  for (const float o : out.o) CHECK(o == 133120.0f);
  CHECK(out.lse_ln[0] == doctest::Approx(1.4176748e11));

  const Tensor q40 = make_tensor("q", {1, 1, 1, 64}, DType::f16, forty);
  const Tensor k40 = make_tensor("k", {1, 1, 4, 64}, DType::f16, std::vector<float>(256, 40.0f));
  std::vector<float> ramp;
  for (int n = 1; n <= 4; ++n) ramp.insert(ramp.end(), 64, static_cast<float>(n));
  const Tensor v4 = make_tensor("v", {1, 1, 4, 64}, DType::f16, ramp);
  DecodeProblem four;
  four.kv_len = 4, four.head_dim = four.v_head_dim = 64, four.scale = 0.125;
  four.q = {q40.data.get(), DType::f16, c_order_strides(1, 1, 64)};
  four.k = {k40.data.get(), DType::f16, c_order_strides(1, 4, 64)};
  four.v = {v4.data.get(), DType::f16, c_order_strides(1, 4, 64)};
  const DeviceOutput sum = run_poisoned(four, {.num_splits = 1});
  CHECK(sum.o[0] == doctest::Approx(2.5));
  CHECK(sum.lse_ln[0] == doctest::Approx(12801.386).epsilon(1e-6));
}

TEST_CASE("float caches are multiplied in float: 1024.25, not tf32's 1024.0 (pytorch#158979)") {
  const Tensor q = make_tensor("q", {1, 1, 1, 64}, DType::f32, std::vector<float>(64, 1 + 0x1p-12f));
  const Tensor k = make_tensor("k", {1, 1, 1, 64}, DType::f32, std::vector<float>(64, 16.0f));
  DecodeProblem p;
  p.kv_len = 1, p.head_dim = p.v_head_dim = 64, p.scale = 1;
  p.q = {q.data.get(), DType::f32, c_order_strides(1, 1, 64)};
  p.k = p.v = {k.data.get(), DType::f32, c_order_strides(1, 1, 64)};
  CHECK(run_poisoned(p).lse_ln[0] == doctest::Approx(1024.25).epsilon(1e-7));
}

TEST_CASE("65536 sequences, or as many heads, come out whole (pytorch#142228)") {
  for (const bool many_heads : {false, true})
    for (const std::int64_t dim : {8, 64}) {
      const std::int64_t n = 65536;
      const std::vector<float> ones(static_cast<std::size_t>(n * dim), 1.0f);
      const std::vector<std::int64_t> shape =
          many_heads ? std::vector<std::int64_t>{1, n, 1, dim} : std::vector<std::int64_t>{n, 1, 1, dim};
      const Tensor t = make_tensor("t", shape, DType::f16, ones);
      DecodeProblem p;
      p.kv_len = 1, p.head_dim = p.v_head_dim = dim, p.scale = 1;
      (many_heads ? p.q_heads : p.batch) = n;
      if (many_heads) p.kv_heads = n;
      p.q = p.k = p.v = {t.data.get(), DType::f16, c_order_strides(many_heads ? n : 1, 1, dim)};
      const DeviceOutput out = run_poisoned(p);
      CHECK(std::all_of(out.o.begin(), out.o.end(), [](float o) { return o == 1.0f; }));
    }
}

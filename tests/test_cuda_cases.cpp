// Public bug reports as small inputs with answers worked out by hand, on every kernel of the ladder that takes them.
#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/cuda_expect.h"

using namespace fdlab;

namespace {

/// Element (head, token, component) of a tensor that is the same for every sequence.
using Fill = std::function<float(std::int64_t head, std::int64_t token, std::int64_t component)>;

/// A problem whose tensors are formulas. Component 0 of q and k makes the scores; the scale is 1.
struct FormulaProblem {
  Tensor q, k, v;
  DecodeProblem problem;

  FormulaProblem(const ProblemShape& s, const Fill& q_of, const Fill& k_of, const Fill& v_of) {
    const auto tensor = [&](std::int64_t heads, std::int64_t tokens, std::int64_t dim, const Fill& fill) {
      std::vector<float> values;
      for (std::int64_t b = 0; b < s.batch; ++b)
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t n = 0; n < tokens; ++n)
            for (std::int64_t c = 0; c < dim; ++c) values.push_back(fill(h, n, c));
      return make_tensor("formula", {s.batch, heads, tokens, dim}, s.type, values);
    };
    q = tensor(s.q_heads, s.q_len, s.head_dim, q_of);
    k = tensor(s.kv_heads, s.kv_len, s.head_dim, k_of);
    v = tensor(s.kv_heads, s.kv_len, s.v_head_dim, v_of);
    problem.batch = s.batch, problem.q_heads = s.q_heads, problem.kv_heads = s.kv_heads;
    problem.q_len = s.q_len, problem.kv_len = s.kv_len, problem.kv_lens = s.kv_lens;
    problem.head_dim = s.head_dim, problem.v_head_dim = s.v_head_dim;
    problem.scale = 1;
    problem.q = {q.data.get(), s.type, c_order_strides(s.q_heads, s.q_len, s.head_dim)};
    problem.k = {k.data.get(), s.type, c_order_strides(s.kv_heads, s.kv_len, s.head_dim)};
    problem.v = {v.data.get(), s.type, c_order_strides(s.kv_heads, s.kv_len, s.v_head_dim)};
  }
};

/// The number in component 0, zero elsewhere.
Fill first(const std::function<float(std::int64_t head, std::int64_t token)>& value) {
  return [value](std::int64_t h, std::int64_t n, std::int64_t c) { return c == 0 ? value(h, n) : 0.0f; };
}
/// The number in every component.
Fill all(const std::function<float(std::int64_t head, std::int64_t token)>& value) {
  return [value](std::int64_t h, std::int64_t n, std::int64_t) { return value(h, n); };
}
float one(std::int64_t, std::int64_t) { return 1; }
float zero(std::int64_t, std::int64_t) { return 0; }

/// Component 0 of every row of o and every LSE, on each rung that takes the problem and with several split counts.
void expect_rows(const DecodeProblem& problem, const std::vector<double>& o, const std::vector<double>& lse,
                 double tolerance = 1e-5) {
  int taken = 0;
  for (const Rung& rung : ladder()) {
    const Result<UploadedProblem> uploaded = UploadedProblem::of(problem);
    REQUIRE(uploaded);
    if (rung.find_refusal(uploaded->problem())) continue;
    for (const int splits : {1, 2, 4}) {
      CAPTURE(std::string(rung.name));
      CAPTURE(splits);
      const DeviceOutput out = run_poisoned(problem, {.num_splits = splits}, rung.launch);
      REQUIRE(out.lse_ln.size() == lse.size());
      for (std::size_t row = 0; row < lse.size(); ++row) {
        CAPTURE(row);
        const double found = out.o[row * static_cast<std::size_t>(problem.v_head_dim)];
        CHECK(std::abs(found - o[row]) <= tolerance * std::max(1.0, std::abs(o[row])));
        CHECK((out.lse_ln[row] == lse[row] ||
               std::abs(out.lse_ln[row] - lse[row]) <= 2e-6 * std::max(1.0, std::abs(lse[row]))));
      }
    }
    ++taken;
  }
  CHECK(taken >= 4);
}

constexpr double kMinusInfinity = -INFINITY;

}  // namespace

TEST_CASE("C36: LSE stands in the order of the query heads under GQA (vllm-project/flash-attention#87)") {
  for (const DType type : {DType::f32, DType::bf16}) {
    const FormulaProblem fixture({2, 4, 2, 1, 4, 64, 64, type, {1, 4}},
                                 first([](std::int64_t h, std::int64_t) { return static_cast<float>(h); }),
                                 first(one), all(one));
    const double ln4 = std::log(4.0);
    expect_rows(fixture.problem, std::vector<double>(8, 1.0), {0, 1, 2, 3, ln4, 1 + ln4, 2 + ln4, 3 + ln4});
  }
}

TEST_CASE(
    "C34: query head h reads KV head h div group (vllm#40792), also where a tile of rows could straddle "
    "two") {
  for (const std::int64_t group : {3, 24}) {
    const FormulaProblem fixture({1, 2 * group, 2, 1, 40, 64, 64, DType::bf16}, first(zero), first(one),
                                 all([](std::int64_t h, std::int64_t) { return static_cast<float>(h + 1); }));
    std::vector<double> expected(static_cast<std::size_t>(group), 1.0);
    expected.resize(static_cast<std::size_t>(2 * group), 2.0);
    expect_rows(fixture.problem, expected, std::vector<double>(expected.size(), std::log(40.0)));
  }
}

TEST_CASE(
    "C38: the causal mask is bottom-right, also where rows outnumber keys (flash-attention#282, #1778)") {
  const auto counting = all([](std::int64_t, std::int64_t n) { return static_cast<float>(n + 1); });
  FormulaProblem wide({1, 1, 1, 2, 5, 64, 64, DType::f16}, first(zero), first(one), counting);
  wide.problem.rules.causal = true;
  expect_rows(wide.problem, {2.5, 3}, {std::log(4.0), std::log(5.0)}, 2e-3);
  FormulaProblem tall({1, 1, 1, 5, 2, 64, 64, DType::f16}, first(zero), first(one), counting);
  tall.problem.rules.causal = true;
  expect_rows(tall.problem, {0, 0, 0, 1, 1.5},
              {kMinusInfinity, kMinusInfinity, kMinusInfinity, 0, std::log(2.0)}, 2e-3);
}

TEST_CASE("C32: softcap after the scale and before the mask (flashinfer#350)") {
  FormulaProblem one_key({1, 1, 1, 1, 1, 64, 64, DType::f16},
                         first([](std::int64_t, std::int64_t) { return 8.0f; }), first(one), all(one));
  one_key.problem.scale = 0.5, one_key.problem.rules.softcap = 2;
  expect_rows(one_key.problem, {1}, {2 * std::tanh(2.0)});
  FormulaProblem masked({1, 1, 1, 1, 2, 64, 64, DType::f16}, first(zero), first(one),
                        all([](std::int64_t, std::int64_t n) { return n == 0 ? 1.0f : 0.0f; }));
  masked.problem.rules.softcap = 2, masked.problem.rules.window = 1;
  expect_rows(masked.problem, {0}, {0});
}

TEST_CASE(
    "C31: ALiBi is not scaled, and counts keys from the start of the sequence, not of the split "
    "(aprender#2143)") {
  FormulaProblem fixture({1, 1, 1, 1, 4, 64, 64, DType::f16}, first(zero), first(one),
                         all([](std::int64_t, std::int64_t n) { return n == 3 ? 1.0f : 0.0f; }));
  fixture.problem.scale = 0.125, fixture.problem.rules.alibi_slopes = {0.5};
  expect_rows(fixture.problem, {0.455054}, {0.787339}, 1e-3);
}

TEST_CASE("C05: a split whose keys are all masked adds nothing (pytorch#134650)") {
  FormulaProblem fixture(
      {1, 1, 1, 1, 128, 64, 64, DType::f32}, first(one), first([](std::int64_t, std::int64_t n) {
        return n < 124 ? 0.0f : std::log(static_cast<float>(n - 123));
      }),
      all([](std::int64_t, std::int64_t n) { return n < 124 ? 9.0f : static_cast<float>(n - 123); }));
  fixture.problem.rules.window = 4;
  expect_rows(fixture.problem, {3}, {std::log(10.0)});
}

TEST_CASE("C10: the shift is the row's maximum, not a constant (executorch#22133)") {
  for (const float base : {100.0f, -200.0f}) {
    const FormulaProblem fixture(
        {1, 1, 1, 1, 2, 64, 64, DType::f32}, first(one),
        first([base](std::int64_t, std::int64_t n) { return base - static_cast<float>(n); }),
        all([](std::int64_t, std::int64_t n) { return n == 0 ? 1.0f : 3.0f; }));
    expect_rows(fixture.problem, {1.537883}, {base + 0.313262});
  }
}

TEST_CASE(
    "C25: with the same plan a sequence has the same bits alone and in a batch (flash-attention#1897)") {
  const PlanOptions plan{.num_splits = 4, .warps = 4, .stages = 4};
  const ProblemShape many{8, 8, 2, 1, 900, 128, 128, DType::bf16};
  const CudaCase batch(many, 11);
  DecodeProblem alone = batch.problem;
  alone.batch = 1;
  for (const LaunchDecode launch : {static_cast<LaunchDecode>(launch_decode), ladder()[3].launch}) {
    DeviceOutput of_batch = run_poisoned(batch.problem, plan, launch);
    const DeviceOutput of_one = run_poisoned(alone, plan, launch);
    of_batch.o.resize(of_one.o.size());
    of_batch.lse_ln.resize(of_one.lse_ln.size());
    CHECK(same_bits(of_batch.o, of_one.o));
    CHECK(same_bits(of_batch.lse_ln, of_one.lse_ln));
  }
}

TEST_CASE(
    "C27: on a busy stream the merge waits for its splits, and scratch is free for the next call at once "
    "(TransformerEngine#1624, flashinfer#4357)") {
  // Four splits of 16 tiles, V = number of the split: their mean is 1.5. The second problem's values are 10 larger.
  const auto value = [](float plus) {
    return all([plus](std::int64_t, std::int64_t n) { return plus + static_cast<float>(n / 256); });
  };
  const ProblemShape shape{1, 8, 2, 1, 1024, 64, 64, DType::bf16};
  const FormulaProblem one_problem(shape, first(zero), first(one), value(0)),
      other_problem(shape, first(zero), first(one), value(10));
  const Result<UploadedProblem> a = UploadedProblem::of(one_problem.problem),
                                b = UploadedProblem::of(other_problem.problem);
  REQUIRE(a);
  REQUIRE(b);
  const PlanResult planned = make_plan(a->problem(), device_limits(), {.num_splits = 4});
  REQUIRE(planned.plan);
  const Workspace workspace = upload_plan(*planned.plan);
  cudaStream_t stream = nullptr;
  FD_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const cudaHostFn_t be_busy = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  for (const Rung& rung : ladder())
    for (int run = 0; run < repeats(200); ++run) {
      FD_CUDA(cudaMemsetAsync(workspace.partials.data(), 0xff, workspace.partials.size(), stream));
      if (run % 10 == 0) FD_CUDA(cudaLaunchHostFunc(stream, be_busy, nullptr));
      rung.launch(a->problem(), *planned.plan, workspace, stream);
      rung.launch(b->problem(), *planned.plan, workspace, stream);
      FD_CUDA(cudaStreamSynchronize(stream));
      CAPTURE(std::string(rung.name));
      CAPTURE(run);
      REQUIRE(std::abs(a->output().o[0] - 1.5f) < 1e-2f);
      REQUIRE(std::abs(b->output().o[0] - 11.5f) < 1e-1f);
    }
  FD_CUDA(cudaStreamDestroy(stream));
}

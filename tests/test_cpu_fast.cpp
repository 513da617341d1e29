// The fast executor: right in every type, shape and rule, with the same bits on any number of threads.
#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cpu/check.h"
#include "cpu/fast_executor.h"
#include "cpu/stream_deal.h"
#include "tests/random_problem.h"
#include "tests/test_vectors.h"

using namespace fdlab;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr Method kMethods[] = {Method::mlo, Method::mlo_unnormalised, Method::lse};

void check_passes(const DecodeProblem& problem, Method method, const DecodePlan& plan, const Isa& isa) {
  CAPTURE(std::string(isa.name));
  CAPTURE(std::string(name_of(method)));
  CAPTURE(plan.tile_size);
  CAPTURE(plan.num_streams);
  REQUIRE_FALSE(find_fault(problem));
  REQUIRE_FALSE(fault_for_fast(problem, method));
  const DecodeOutput output = decode_fast(problem, method, plan, isa).output;
  const Check check = check_against_oracle(problem, output.o, output.lse_ln, DType::f32);
  CAPTURE(check.o.found);
  CAPTURE(check.o.expected);
  CAPTURE(check.o.limit);
  CHECK(check.o.outcome == Outcome::passed);
  CHECK(check.lse.outcome == Outcome::passed);
}

template <class Visit>
void for_every_isa(Visit visit) {
  for (const Isa& isa : available_isas()) visit(isa);
}

bool same_bits(const DecodeOutput& a, const DecodeOutput& b) {
  return a.o.size() == b.o.size() && std::memcmp(a.o.data(), b.o.data(), a.o.size() * sizeof(float)) == 0 &&
         std::memcmp(a.lse_ln.data(), b.lse_ln.data(), a.lse_ln.size() * sizeof(float)) == 0;
}

/// One sequence's rows of a batch.
DecodeProblem sequence_of(const DecodeProblem& batch, std::int64_t b) {
  DecodeProblem one = batch;
  one.batch = 1;
  one.kv_lens = {batch.kv_len_of(b)};
  for (TensorView* tensor : {&one.q, &one.k, &one.v})
    tensor->data = static_cast<const std::byte*>(tensor->data) +
                   tensor->offset(b, 0, 0, 0) * static_cast<std::int64_t>(size_in_bytes(tensor->type));
  return one;
}

/// Restores the number of threads.
struct Threads {
  int before = omp_get_max_threads();
  explicit Threads(int n) { omp_set_num_threads(n); }
  ~Threads() { omp_set_num_threads(before); }
};

}  // namespace

TEST_CASE("every head size, group size and number type passes on every instruction set") {
  unsigned seed = 1;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3})
    for (const std::int64_t head_dim : {1, 3, 8, 16, 31, 64, 128})
      for (const std::int64_t group : {1, 2, 3, 4, 8}) {
        const std::int64_t v_head_dim = seed % 3 == 0 ? head_dim + 5 : head_dim;
        const RandomProblem random({.batch = 2,
                                    .q_heads = 2 * group,
                                    .kv_heads = 2,
                                    .kv_len = 203,
                                    .head_dim = head_dim,
                                    .v_head_dim = v_head_dim,
                                    .type = type,
                                    .kv_lens = {203, 66}},
                                   seed++);
        CAPTURE(std::string(name_of(type)));
        CAPTURE(head_dim);
        CAPTURE(group);
        for_every_isa([&](const Isa& isa) {
          check_passes(random.problem, Method::lse, {.tile_size = 50, .num_streams = 3}, isa);
        });
      }
}

TEST_CASE("K and V of different types pass on every instruction set") {
  for (const DType k_type : {DType::f32, DType::f16, DType::bf16, DType::e4m3})
    for (const DType v_type : {DType::f32, DType::f16, DType::bf16, DType::e4m3})
      for (const std::int64_t group : {1, 2, 8}) {
        ProblemShape shape{.q_heads = group, .kv_len = 203, .head_dim = 64, .v_head_dim = 64, .type = k_type};
        RandomProblem random(shape, 3);
        shape.type = v_type;
        const RandomProblem other(shape, 4);
        random.problem.v = other.problem.v;
        CAPTURE(std::string(name_of(k_type)));
        CAPTURE(std::string(name_of(v_type)));
        CAPTURE(group);
        for_every_isa([&](const Isa& isa) {
          check_passes(random.problem, Method::lse, {.tile_size = 50, .num_streams = 3}, isa);
        });
      }
}

TEST_CASE("lengths around the block: 0, 1, 3, 4, 5, 63, 64, 65, 128, 257") {
  for (const std::int64_t kv_len : {0, 1, 3, 4, 5, 63, 64, 65, 128, 257}) {
    CAPTURE(kv_len);
    const RandomProblem random(
        {.q_heads = 2, .kv_heads = 1, .kv_len = kv_len, .head_dim = 16, .v_head_dim = 16});
    for_every_isa([&](const Isa& isa) {
      check_passes(random.problem, Method::mlo, automatic_plan(random.problem), isa);
      check_passes(random.problem, Method::lse, {.tile_size = 64, .num_streams = 9}, isa);
    });
  }
}

TEST_CASE("the vectors and the real decoders pass") {
  for (const TestVector& vector : all_vectors()) {
    const LoadedProblem loaded = vector.load();
    if (fault_for_fast(loaded.problem, Method::lse)) continue;
    CAPTURE(vector.name);
    for_every_isa([&](const Isa& isa) {
      for (const Method method : kMethods)
        check_passes(loaded.problem, method, {.tile_size = 64, .num_streams = 3, .merge = MergeOrder::tree},
                     isa);
    });
  }
}

TEST_CASE("rules: causal, window, softcap, ALiBi, sink, several query rows, all at once and one by one") {
  RandomProblem random({.batch = 2,
                        .q_heads = 6,
                        .kv_heads = 2,
                        .q_len = 3,
                        .kv_len = 150,
                        .head_dim = 20,
                        .v_head_dim = 20,
                        .kv_lens = {150, 2}});
  const std::vector<double> slopes{0.5, 0.25, 0.125, 0.0625, 0.03, 0.01}, sinks{1, -2, 0.5, 3, 0, -9};
  const ScoreRules all[] = {
      {.causal = true},
      {.causal = true, .window = 40},
      {.softcap = 2},
      {.alibi_slopes = slopes},
      {.sinks = sinks},
      {.sinks = sinks, .lse_includes_sink = false},
      {.causal = true, .window = 70, .softcap = 3, .alibi_slopes = slopes, .sinks = sinks}};
  for (const ScoreRules& rules : all) {
    random.problem.rules = rules;
    for_every_isa([&](const Isa& isa) {
      for (const Method method : kMethods)
        check_passes(random.problem, method, {.tile_size = 32, .num_streams = 3, .merge = MergeOrder::tree},
                     isa);
    });
  }
}

TEST_CASE(
    "softcap and ALiBi in vectors: scores from nothing to far past the cap, distances of many blocks, NaN") {
  std::vector<float> scores, values;
  for (int i = 0; i < 200; ++i) {
    scores.push_back(static_cast<float>((i % 2 == 0 ? 1 : -1) * std::pow(10.0, i / 20.0 - 6)));
    values.push_back(static_cast<float>(i % 7));
  }
  const ScoreRules all[] = {
      {.softcap = 30}, {.alibi_slopes = {0.01}}, {.softcap = 0.5, .alibi_slopes = {0.25}}};
  for (const ScoreRules& rules : all)
    for_every_isa([&](const Isa& isa) {
      ScoreProblem p(scores, values);
      p.problem.rules = rules;
      check_passes(p.problem, Method::lse, {.tile_size = 100, .num_streams = 2}, isa);
      ScoreProblem unclear({0, kNaN, 0}, {1, 2, 3});
      unclear.problem.rules = rules;
      CHECK(std::isnan(decode_fast(unclear.problem, Method::lse, {}, isa).output.o[0]));
    });
}

TEST_CASE("strided K and V: token-major caches") {
  RandomProblem random(
      {.batch = 2, .q_heads = 4, .kv_heads = 2, .kv_len = 90, .head_dim = 16, .v_head_dim = 16});
  // Read the same memory as (batch, kv_len, kv_heads, dim).
  for (TensorView* tensor : {&random.problem.k, &random.problem.v}) tensor->stride = {2 * 90 * 16, 16, 32, 1};
  for_every_isa([&](const Isa& isa) {
    check_passes(random.problem, Method::lse, {.tile_size = 32, .num_streams = 2}, isa);
  });
  random.problem.k.stride[3] = 2;
  CHECK(fault_for_fast(random.problem, Method::lse));
}

TEST_CASE("C06: unused slots and masked keys are not felt, even as NaN; NaN in use comes out") {
  ScoreProblem p({0, 0, 0, 0, 0, kNaN, INFINITY, kNaN}, {1, 2, 3, 4, 5, kNaN, kNaN, kNaN});
  p.problem.kv_lens = {5};
  for_every_isa([&](const Isa& isa) {
    const auto run = [&](const DecodePlan& plan) {
      return decode_fast(p.problem, Method::lse, plan, isa).output.o[0];
    };
    p.problem.kv_lens = {5};
    CHECK(run({.tile_size = 4, .num_streams = 2}) == doctest::Approx(3));
    p.problem.kv_lens = {6};
    CHECK(std::isnan(run({.tile_size = 4, .num_streams = 2})));
  });
  ScoreProblem masked({0, -INFINITY, 0, -INFINITY}, {1, kNaN, 3, INFINITY});
  for_every_isa([&](const Isa& isa) {
    CHECK(decode_fast(masked.problem, Method::lse, {}, isa).output.o[0] == doctest::Approx(2));
  });
}

TEST_CASE(
    "a key that some query rows see and others do not: its NaN and infinities reach those that see it") {
  constexpr std::int64_t kKeys = 203, kRows = 3, kDim = 40, kHeads = 4;
  for (const std::int64_t window : {0, 70})
    for (const DType type : {DType::f32, DType::bf16}) {
      const RandomProblem clean({1, kHeads, 2, kRows, kKeys, kDim, kDim, type});
      for (const std::int64_t bad_key : {kKeys - 1, kKeys - 2, kKeys - 71, kKeys - 72}) {
        std::vector<float> k, v;
        for (std::int64_t h = 0; h < 2; ++h)
          for (std::int64_t n = 0; n < kKeys; ++n)
            for (std::int64_t c = 0; c < kDim; ++c) {
              const bool is_bad = n == bad_key && c % 2 == 0;
              k.push_back(is_bad ? kNaN : static_cast<float>(clean.problem.k.at(0, h, n, c)));
              v.push_back(is_bad ? INFINITY : static_cast<float>(clean.problem.v.at(0, h, n, c)));
            }
        const Tensor bad_k = make_tensor("k", {1, 2, kKeys, kDim}, type, k);
        const Tensor bad_v = make_tensor("v", {1, 2, kKeys, kDim}, type, v);
        DecodeProblem good = clean.problem;
        good.rules.causal = true, good.rules.window = window;
        DecodeProblem bad = good;
        bad.k.data = bad_k.data.get(), bad.v.data = bad_v.data.get();
        CAPTURE(window);
        CAPTURE(bad_key);
        for_every_isa([&](const Isa& isa) {
          const DecodePlan plan{.tile_size = 50, .num_streams = 2};
          const DecodeOutput expected = decode_fast(good, Method::lse, plan, isa).output;
          const DecodeOutput found = decode_fast(bad, Method::lse, plan, isa).output;
          for (std::int64_t i = 0; i < kHeads * kRows; ++i) {
            const KeyRange seen = good.visible_keys(0, i % kRows);
            const float *const o = found.o.data() + i * kDim, *const clean_o = expected.o.data() + i * kDim;
            if (bad_key >= seen.begin && bad_key < seen.end) CHECK(std::isnan(o[0]));
            else CHECK(std::memcmp(o, clean_o, kDim * sizeof(float)) == 0);
          }
        });
      }
    }
}

TEST_CASE(
    "every number that a narrow type holds is read as it is, infinities and NaN too, by every instruction "
    "set") {
  constexpr std::int64_t kDim = 256;
  for (const DType type : {DType::f16, DType::bf16, DType::e4m3}) {
    const std::int64_t batch = type == DType::e4m3 ? 1 : 256;
    std::vector<std::uint16_t> halves(static_cast<std::size_t>(batch * kDim));
    std::vector<std::uint8_t> bytes(kDim);
    std::iota(halves.begin(), halves.end(), std::uint16_t{0});
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    RandomProblem one({.batch = batch, .q_heads = 1, .kv_len = 1, .head_dim = 8, .v_head_dim = kDim});
    const void* const stored = type == DType::e4m3 ? static_cast<const void*>(bytes.data()) : halves.data();
    one.problem.v = {stored, type, c_order_strides(1, 1, kDim)};
    for_every_isa([&](const Isa& isa) {
      const DecodeOutput out = decode_fast(one.problem, Method::lse, {}, isa).output;
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < batch * kDim; ++i) {
        const auto expected = static_cast<float>(load_element(stored, type, i));
        const float found = out.o[static_cast<std::size_t>(i)];
        wrong += !(std::isnan(expected) ? std::isnan(found) : found == expected);
      }
      CAPTURE(std::string(name_of(type)));
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("C10, C39: large scores, and a scale of zero or below") {
  for_every_isa([&](const Isa& isa) {
    const auto o_of = [&](const DecodeProblem& p) {
      return decode_fast(p, Method::lse, {.tile_size = 1, .num_streams = 2}, isa).output.o[0];
    };
    CHECK(o_of(ScoreProblem({100, 99}, {1, 3}).problem) == doctest::Approx(1.537883));
    CHECK(o_of(ScoreProblem({-200, -201}, {1, 3}).problem) == doctest::Approx(1.537883));
    CHECK(o_of(ScoreProblem({12800, 12800, 12800, 12800}, {1, 2, 3, 4}).problem) == 2.5);
    ScoreProblem p({1, 2, 3}, {1, 2, 6});
    p.problem.scale = 0;
    CHECK(o_of(p.problem) == doctest::Approx(3));
    p.problem.scale = -1000;
    CHECK(o_of(p.problem) == doctest::Approx(1));
  });
}

TEST_CASE("the same bits on 1, 2, 3 and 8 threads, and run to run; more than one thread takes part") {
  const RandomProblem random(
      {.q_heads = 4, .kv_heads = 1, .kv_len = 20000, .head_dim = 32, .v_head_dim = 32});
  const DecodePlan plan = automatic_plan(random.problem);
  CHECK(plan.num_streams > 8);
  const DecodeOutput first = decode_fast(random.problem, Method::lse, plan, available_isas().front()).output;
  for (const int threads : {1, 2, 3, 8}) {
    const Threads limited(threads);
    int most = 0;
    for (int repeat = 0; repeat < 20 || (most < std::min(threads, 2) && repeat < 2000); ++repeat) {
      const FastRun run = decode_fast(random.problem, Method::lse, plan, available_isas().front());
      CHECK(same_bits(run.output, first));
      most = std::max(most, run.threads);
    }
    CHECK(most >= std::min(threads, 2));
    CHECK(most <= threads);
  }
}

TEST_CASE("a stream's bits do not depend on the streams that its thread folds before and after it") {
  for (const std::int64_t group : {1, 2, 4, 8}) {
    const RandomProblem random({.batch = 7,
                                .q_heads = 2 * group,
                                .kv_heads = 2,
                                .kv_len = 700,
                                .head_dim = 64,
                                .v_head_dim = 64,
                                .kv_lens = {700, 0, 1, 65, 0, 64, 130}},
                               5);
    CAPTURE(group);
    // Streams of no block, of one, and of several; tiles that are no whole blocks.
    const DecodePlan plans[] = {{.tile_size = 64, .num_streams = 1},
                                {.tile_size = 100, .num_streams = 3},
                                {.tile_size = 7, .num_streams = 12, .deal = Deal::contiguous}};
    for (const DecodePlan& plan : plans)
      for_every_isa([&](const Isa& isa) {
        DecodeOutput apart;
        for (std::int64_t b = 0; b < random.problem.batch; ++b) {
          const DecodeOutput one = decode_fast(sequence_of(random.problem, b), Method::lse, plan, isa).output;
          apart.o.insert(apart.o.end(), one.o.begin(), one.o.end());
          apart.lse_ln.insert(apart.lse_ln.end(), one.lse_ln.begin(), one.lse_ln.end());
        }
        for (const int threads : {1, 2, 3, 8}) {
          CAPTURE(threads);
          const Threads limited(threads);
          CHECK(same_bits(decode_fast(random.problem, Method::lse, plan, isa).output, apart));
        }
      });
    check_passes(random.problem, Method::lse, plans[1], available_isas().front());
  }
}

TEST_CASE("NaN in one stream does not reach the stream that its thread folds next") {
  const std::int64_t kv_len = 130, dim = 64;
  std::vector<float> keys(static_cast<std::size_t>(2 * kv_len * dim), 0.5f);
  std::fill_n(keys.begin(), kv_len * dim, kNaN);
  const RandomProblem random(
      {.batch = 2, .q_heads = 4, .kv_len = kv_len, .head_dim = dim, .v_head_dim = dim});
  const Tensor k = make_tensor("k", {2, 1, kv_len, dim}, DType::f32, keys);
  DecodeProblem problem = random.problem;
  problem.k.data = k.data.get();
  const Threads single(1);
  for_every_isa([&](const Isa& isa) {
    const DecodeOutput both = decode_fast(problem, Method::lse, {}, isa).output;
    const DecodeOutput second = decode_fast(sequence_of(problem, 1), Method::lse, {}, isa).output;
    CHECK(std::isnan(both.lse_ln[0]));
    CHECK(std::memcmp(both.o.data() + 4 * dim, second.o.data(), second.o.size() * sizeof(float)) == 0);
    CHECK(std::memcmp(both.lse_ln.data() + 4, second.lse_ln.data(), 4 * sizeof(float)) == 0);
  });
}

TEST_CASE("streams are dealt once each, in runs of neighbours, and those of other threads last") {
  for (const std::int64_t count : {0, 1, 2, 7, 8}) {
    std::vector<StreamTask> streams(static_cast<std::size_t>(count));
    for (std::int64_t s = 0; s < count; ++s) streams[static_cast<std::size_t>(s)].stream = s;
    StreamDeal deal(streams, 3);
    std::vector<std::int64_t> dealt;
    while (const StreamTask* task = deal.next(1)) dealt.push_back(task->stream);
    std::vector<std::int64_t> expected;
    for (const std::int64_t run : {1, 2, 0})
      for (std::int64_t s = count * run / 3; s < count * (run + 1) / 3; ++s) expected.push_back(s);
    CHECK(dealt == expected);
    CHECK(deal.next(0) == nullptr);
  }
}

TEST_CASE("the automatic plan depends on the shape alone and splits on one thread as well") {
  const RandomProblem one({.q_heads = 1, .kv_len = 4096, .head_dim = 8, .v_head_dim = 8});
  const DecodePlan plan = automatic_plan(one.problem);
  CHECK(plan.num_streams == 4);
  const Threads single(1);
  CHECK(automatic_plan(one.problem).num_streams == plan.num_streams);
  RandomProblem short_row({.q_heads = 1, .kv_len = 100});
  CHECK(automatic_plan(short_row.problem).num_streams == 1);
}

TEST_CASE("what the fast executor does not do is refused by name") {
  const RandomProblem f64({.kv_len = 4, .type = DType::f64});
  CHECK(fault_for_fast(f64.problem, Method::lse).value_or("").find("f64") != std::string::npos);
  const RandomProblem f32({.kv_len = 4});
  CHECK(fault_for_fast(f32.problem, Method::online).value_or("").find("online") != std::string::npos);
  CHECK_FALSE(fault_for_fast(f32.problem, Method::lse));
  CHECK_FALSE(isa_from_name("mmx"));
  CHECK(isa_from_name(available_isas().back().name));
}

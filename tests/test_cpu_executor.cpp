// Every method, deal and merge order, held against the oracle by the rule that judges kernels: the plain executor and,
// where it takes the method, the fast one. What only one of them has stands in test_cpu_fast.cpp and further down here.
#include "cpu/executor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "cpu/check.h"
#include "cpu/fast_executor.h"
#include "tests/random_problem.h"
#include "tests/test_vectors.h"

using namespace fdlab;

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr Method kMethods[] = {Method::standard, Method::online,           Method::online_unnormalised,
                               Method::mlo,      Method::mlo_unnormalised, Method::lse};
constexpr Deal kDeals[] = {Deal::round_robin, Deal::contiguous, Deal::balanced};
constexpr MergeOrder kOrders[] = {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step,
                                  MergeOrder::flat};

DecodePlan plan_of(std::int64_t tile, std::int64_t streams, Deal deal = Deal::round_robin,
                   MergeOrder merge = MergeOrder::sequential) {
  return {.tile_size = tile, .num_streams = streams, .deal = deal, .merge = merge};
}

void check_passes(const DecodeProblem& problem, const DecodeOutput& output) {
  const Check check = check_against_oracle(problem, output.o, output.lse_ln, DType::f32);
  CAPTURE(check.o.index);
  CAPTURE(check.o.found);
  CAPTURE(check.o.expected);
  CAPTURE(check.o.limit);
  CHECK(check.o.outcome == Outcome::passed);
  CHECK(check.lse.outcome == Outcome::passed);
}

/// In both executors, if the fast one takes it.
void check_passes(const DecodeProblem& problem, Method method, const DecodePlan& plan) {
  CAPTURE(std::string(name_of(method)));
  CAPTURE(plan.tile_size);
  CAPTURE(plan.num_streams);
  CAPTURE(std::string(name_of(plan.deal)));
  CAPTURE(std::string(name_of(plan.merge)));
  check_passes(problem, decode_by_plan(problem, method, plan));
  if (fault_for_fast(problem, method)) return;
  check_passes(problem, decode_fast(problem, method, plan, available_isas().front()).output);
}

template <class Visit>
void for_every_plan(Visit visit) {
  for (const Method method : kMethods)
    for (const std::int64_t tile : {1, 3, 64, 65, 300})
      for (const std::int64_t streams : {1, 2, 3, 7, 16})
        for (const Deal deal : kDeals)
          for (const MergeOrder merge : kOrders) visit(method, plan_of(tile, streams, deal, merge));
}

/// o and lse of the closed-form fixture under every plan.
void check_closed_form(const DecodeProblem& problem, double o, double lse, double tolerance = 1e-6) {
  for_every_plan([&](Method method, const DecodePlan& plan) {
    const DecodeOutput output = decode_by_plan(problem, method, plan);
    CAPTURE(std::string(name_of(method)));
    CAPTURE(plan.tile_size);
    CAPTURE(plan.num_streams);
    CHECK(std::abs(output.o[0] - o) <= tolerance * std::max(1.0, std::abs(o)));
    CHECK((output.lse_ln[0] == lse ||
           std::abs(output.lse_ln[0] - lse) <= tolerance * std::max(1.0, std::abs(lse))));
  });
}

float ln(double x) { return static_cast<float>(std::log(x)); }

}  // namespace

TEST_CASE("every method, tile, stream count, deal and merge order passes in both executors") {
  const RandomProblem random({.batch = 2,
                              .q_heads = 4,
                              .kv_heads = 2,
                              .q_len = 1,
                              .kv_len = 141,
                              .head_dim = 5,
                              .v_head_dim = 7,
                              .kv_lens = {141, 30}});
  for_every_plan([&](Method method, const DecodePlan& plan) { check_passes(random.problem, method, plan); });
}

TEST_CASE("the vectors and the real decoders pass in every method and merge order") {
  for (const TestVector& vector : all_vectors()) {
    CAPTURE(vector.name);
    const LoadedProblem loaded = vector.load();
    const std::vector<double> o = vector.expected_o();
    for (const Method method : kMethods)
      for (const MergeOrder merge : kOrders) {
        check_passes(loaded.problem, method, plan_of(64, 3, Deal::round_robin, merge));
        const DecodeOutput output =
            decode_by_plan(loaded.problem, method, plan_of(64, 3, Deal::balanced, merge));
        double worst = 0;  // against the values from outside, without the oracle
        for (std::size_t i = 0; i < o.size(); ++i) worst = std::max(worst, std::abs(output.o[i] - o[i]));
        CHECK(worst < (vector.name == "scores-1e4" ? 2e-2 : 2e-5));
      }
  }
}

TEST_CASE("the random problem is not trivial: no weight dominates, and heads and columns differ") {
  const RandomProblem random({.q_heads = 4, .kv_heads = 2, .kv_len = 41, .head_dim = 5, .v_head_dim = 7});
  const DecodeOutput output = decode_by_plan(random.problem, Method::standard, {});
  for (std::size_t i = 1; i < output.o.size(); ++i) CHECK(output.o[i] != output.o[i - 1]);
  // The largest weight is at most exp(max score − LSE).
  for (std::size_t h = 0; h < 4; ++h) {
    double max_score = -INFINITY;
    for (std::int64_t n = 0; n < 41; ++n) {
      double dot = 0;
      for (std::int64_t c = 0; c < 5; ++c)
        dot += random.problem.q.at(0, static_cast<std::int64_t>(h), 0, c) *
               random.problem.k.at(0, random.problem.kv_head_of(static_cast<std::int64_t>(h)), n, c);
      max_score = std::max(max_score, dot * random.problem.scale);
    }
    CHECK(std::exp(max_score - output.lse_ln[h]) < 0.9);
  }
}

TEST_CASE("C05, C17, C18: masked tiles, more streams than tiles, one key past a tile") {
  check_closed_form(ScoreProblem({kMasked, kMasked, kMasked, kMasked, ln(1), ln(2), ln(3), ln(4)},
                                 {9, kNaN, 9, 9, 1, 2, 3, 4})
                        .problem,
                    3.0, std::log(10.0));
  check_closed_form(ScoreProblem({ln(1), ln(1), ln(2), ln(2), ln(4)}, {1, 2, 3, 4, 5}).problem, 3.7,
                    std::log(10.0));
  for (const int kv_len : {1, 63, 64, 65, 257}) {
    std::vector<float> values;
    for (int i = 0; i < kv_len; ++i) values.push_back(static_cast<float>(i));
    check_closed_form(ScoreProblem(std::vector<float>(values.size(), 0.0f), values).problem,
                      (kv_len - 1) / 2.0, std::log(kv_len), 3e-6);
  }
}

TEST_CASE("rows that see no key are (0, -inf) in every method") {
  const ScoreProblem masked({kMasked, kMasked, kMasked}, {kNaN, 1, 2});
  ScoreProblem none({0, 0}, {kNaN, 2});
  none.problem.kv_lens = {0};
  for (const DecodeProblem& p : {masked.problem, none.problem})
    for_every_plan([&](Method method, const DecodePlan& plan) {
      const DecodeOutput output = decode_by_plan(p, method, plan);
      CHECK(output.o == std::vector<float>(ScoreProblem::kDim, 0.0f));
      CHECK(output.lse_ln[0] == kMasked);
    });
}

TEST_CASE("C06: unused slots are never read, NaN within kv_len comes out") {
  ScoreProblem p({ln(1), ln(1), ln(2), ln(2), ln(4), kNaN, INFINITY, kNaN},
                 {1, 2, 3, 4, 5, kNaN, kNaN, kNaN});
  p.problem.kv_lens = {5};
  check_closed_form(p.problem, 3.7, std::log(10.0));
  p.problem.kv_lens = {6};
  for_every_plan([&](Method method, const DecodePlan& plan) {
    const DecodeOutput output = decode_by_plan(p.problem, method, plan);
    CHECK(std::isnan(output.o[0]));
    CHECK(std::isnan(output.lse_ln[0]));
  });
}

TEST_CASE("C10, C39, C40: large scores, one key of a huge score") {
  check_closed_form(ScoreProblem({100, 99}, {1, 3}).problem, 1.537883, 100.313262);
  check_closed_form(ScoreProblem({-200, -201}, {1, 3}).problem, 1.537883, -199.686738);
  check_closed_form(ScoreProblem({12800, 12800, 12800, 12800}, {1, 2, 3, 4}).problem, 2.5, 12801.386294);
  check_closed_form(ScoreProblem({1.4176748e11f}, {133120}).problem, 133120, 1.4176748e11);
}

TEST_CASE("C25: partials that cancel stay within rounding at their own size") {
  check_closed_form(ScoreProblem({0, 0, 0}, {1e8f, 1, -1e8f}).problem, 1.0 / 3, std::log(3.0), 8);
}

TEST_CASE("an empty batch has no rows") {
  RandomProblem random({.batch = 0, .kv_len = 4});
  const DecodeOutput output = decode_by_plan(random.problem, Method::lse, plan_of(2, 2));
  CHECK(output.o.empty());
  CHECK(output.lse_ln.empty());
}

TEST_CASE("several query rows, and a billion streams cost nothing") {
  const RandomProblem random({.q_heads = 2, .q_len = 5, .kv_len = 19});
  check_passes(random.problem, Method::lse, plan_of(4, 1'000'000'000, Deal::balanced, MergeOrder::tree));
  check_passes(random.problem, Method::online, plan_of(4, 1'000'000'000));
}

TEST_CASE("same input, same plan: same bits, and nothing is lost but the one rounding to float") {
  const RandomProblem random({.q_heads = 4, .kv_heads = 2, .kv_len = 100, .type = DType::f64});
  const DecodePlan plan = plan_of(16, 4, Deal::round_robin, MergeOrder::tree);
  const DecodeOutput first = decode_by_plan(random.problem, Method::lse, plan);
  const DecodeOutput again = decode_by_plan(random.problem, Method::lse, plan);
  CHECK(first.o == again.o);
  CHECK(first.lse_ln == again.lse_ln);
  const Check check = check_against_oracle(random.problem, first.o, first.lse_ln, DType::f32);
  CHECK(check.o.difference.max_ulp <= 0.5000001);
}

// What a model does to scores: each rule by its closed form, in the oracle and in every method of the executor.
#include "core/problem/problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "cpu/check.h"
#include "cpu/executor.h"
#include "cpu/oracle.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Method kMethods[] = {Method::standard, Method::online, Method::mlo, Method::mlo_unnormalised,
                               Method::lse};

/// o and LSE of one row, by the oracle and by every method with tiles of 1, 2 and 64 keys on two streams.
void check_row(const DecodeProblem& p, std::int64_t row, double o, double lse, std::int64_t head = 0) {
  REQUIRE_FALSE(find_fault(p));
  CAPTURE(row);
  const OracleRow oracle = oracle_row(p, 0, head, row);
  CHECK(oracle.o[0] == doctest::Approx(o).epsilon(2e-6));
  CHECK((oracle.lse_ln == lse || oracle.lse_ln == doctest::Approx(lse).epsilon(2e-6)));
  for (const Method method : kMethods)
    for (const std::int64_t tile : {1, 2, 64})
      for (const MergeOrder merge :
           {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step, MergeOrder::flat}) {
        const DecodeOutput output =
            decode_by_plan(p, method, {.tile_size = tile, .num_streams = 2, .merge = merge});
        const auto i = static_cast<std::size_t>(head * p.q_len + row);
        CHECK(output.o[i * static_cast<std::size_t>(p.v_head_dim)] == doctest::Approx(o).epsilon(2e-6));
        CHECK((output.lse_ln[i] == lse || output.lse_ln[i] == doctest::Approx(lse).epsilon(2e-6)));
      }
}

/// The fixture of closed forms with q_len equal query rows.
struct Rows : ScoreProblem {
  Rows(const std::vector<float>& scores, const std::vector<float>& values, std::int64_t q_len)
      : ScoreProblem(scores, values) {
    std::vector<float> ones(static_cast<std::size_t>(q_len * kDim), 0.0f);
    for (std::int64_t r = 0; r < q_len; ++r) ones[static_cast<std::size_t>(r * kDim)] = 1;
    q = make_tensor("q", {1, 1, q_len, kDim}, DType::f32, ones);
    problem.q_len = q_len;
    problem.q = {q.data.get(), DType::f32, c_order_strides(1, q_len, kDim)};
  }
};

}  // namespace

TEST_CASE("C38: the causal mask is aligned bottom-right") {
  Rows two({0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, 2);
  two.problem.rules.causal = true;
  check_row(two.problem, 0, 2.5, std::log(4.0));
  check_row(two.problem, 1, 3.0, std::log(5.0));
  Rows one({0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, 1);
  one.problem.rules.causal = true;
  check_row(one.problem, 0, 3.0, std::log(5.0));
  Rows five({0, 0}, {1, 2}, 5);
  five.problem.rules.causal = true;
  for (const std::int64_t row : {0, 1, 2}) check_row(five.problem, row, 0, -kInf);
  check_row(five.problem, 3, 1, 0);
  check_row(five.problem, 4, 1.5, std::log(2.0));
}

TEST_CASE("the window holds the last keys, the query's own among them") {
  Rows p({0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, 1);
  for (const auto& [window, o, keys] :
       {std::tuple{1, 5.0, 1.0}, {2, 4.5, 2.0}, {4, 3.5, 4.0}, {5, 3.0, 5.0}, {9, 3.0, 5.0}}) {
    p.problem.rules.window = window;
    check_row(p.problem, 0, o, std::log(keys));
  }
  Rows rows({0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, 3);
  rows.problem.rules = {.causal = true, .window = 2};
  check_row(rows.problem, 0, 2.5, std::log(2.0));
  check_row(rows.problem, 1, 3.5, std::log(2.0));
  check_row(rows.problem, 2, 4.5, std::log(2.0));
  rows.problem.rules.causal = false;
  CHECK(find_fault(rows.problem));
}

TEST_CASE("a window over a shorter sequence of a batch counts from that sequence's own end") {
  RandomProblem random({.batch = 2, .q_heads = 1, .kv_len = 9, .v_head_dim = 1, .kv_lens = {9, 4}});
  random.problem.rules.window = 1;
  const DecodeOutput output = decode_by_plan(random.problem, Method::lse, {.tile_size = 2, .num_streams = 2});
  CHECK(output.o[0] == doctest::Approx(random.problem.v.at(0, 0, 8, 0)));
  CHECK(output.o[1] == doctest::Approx(random.problem.v.at(1, 0, 3, 0)));
}

TEST_CASE("C31: ALiBi is added after the scale, at the key's own place in the sequence") {
  ScoreProblem p({0, 0, 0, 0}, {0, 0, 0, 1});
  p.problem.scale = 0.125;
  p.problem.rules.alibi_slopes = {0.5};
  check_row(p.problem, 0, 0.455054, 0.787339);
}

TEST_CASE("C32: softcap comes after the scale and before the mask") {
  ScoreProblem capped({8}, {1});
  capped.problem.scale = 0.5;
  capped.problem.rules.softcap = 2;
  check_row(capped.problem, 0, 1, 1.928055);

  Rows masked({0, 100}, {0, 1}, 2);  // the second key is masked for the first row
  masked.problem.rules = {.causal = true, .softcap = 2};
  check_row(masked.problem, 0, 0, 0);
}

TEST_CASE("C33: the sink takes weight, and LSE holds it unless told otherwise") {
  ScoreProblem p({0, 0}, {3, 3});
  p.problem.rules.sinks = {std::log(2.0)};
  check_row(p.problem, 0, 1.5, std::log(4.0));
  p.problem.rules.lse_includes_sink = false;
  check_row(p.problem, 0, 1.5, std::log(2.0));

  p.problem.rules.sinks = {80};  // beside a sink this large the keys weigh nothing
  check_row(p.problem, 0, 0, std::log(2.0));
  p.problem.kv_lens = {0};
  check_row(p.problem, 0, 0, -kInf);
  p.problem.rules.lse_includes_sink = true;
  check_row(p.problem, 0, 0, 80);
}

TEST_CASE("the scales of an fp8 cache multiply keys and values") {
  ScoreProblem p({1, 0}, {2, 4}, DType::e4m3);
  p.problem.k_scale = std::log(3.0);
  p.problem.v_scale = 0.5;
  check_row(p.problem, 0, (3 * 2 + 4) * 0.5 / 4, std::log(4.0));
}

TEST_CASE("all rules together pass against the oracle, with heads of their own slopes and sinks") {
  RandomProblem random(
      {.batch = 2, .q_heads = 4, .kv_heads = 2, .q_len = 3, .kv_len = 37, .kv_lens = {37, 11}});
  random.problem.rules = {.causal = true,
                          .window = 20,
                          .softcap = 3,
                          .alibi_slopes = {0.5, 0.25, 0.125, 0.0625},
                          .sinks = {1, -2, 0.5, 3}};
  REQUIRE_FALSE(find_fault(random.problem));
  for (const Method method : kMethods) {
    const DecodeOutput output =
        decode_by_plan(random.problem, method, {.tile_size = 5, .num_streams = 3, .merge = MergeOrder::tree});
    const Check check = check_against_oracle(random.problem, output.o, output.lse_ln, DType::f32);
    CHECK(check.o.outcome == Outcome::passed);
    CHECK(check.lse.outcome == Outcome::passed);
  }
  // Each rule matters: without it the output is another.
  const DecodeOutput all = decode_by_plan(random.problem, Method::lse, {});
  for (int rule = 0; rule < 5; ++rule) {
    DecodeProblem without = random.problem;
    if (rule == 0) without.rules.causal = false, without.rules.window = 0;
    if (rule == 1) without.rules.window = 0;
    if (rule == 2) without.rules.softcap = 0;
    if (rule == 3) without.rules.alibi_slopes.clear();
    if (rule == 4) without.rules.sinks.clear();
    CAPTURE(rule);
    CHECK(decode_by_plan(without, Method::lse, {}).o != all.o);
  }
}

TEST_CASE("rules that make no sense are refused with what was expected and found") {
  RandomProblem random({.q_heads = 4, .kv_heads = 2, .kv_len = 4});
  const auto fault_of = [&](const ScoreRules& rules) {
    random.problem.rules = rules;
    return find_fault(random.problem).value_or("");
  };
  CHECK(fault_of({.window = -1}) == "expected a window of at least 1 key, found -1");
  CHECK(fault_of({.softcap = -1}) == "expected a softcap above 0 that a float can hold, found -1");
  CHECK(fault_of({.softcap = kInf}) == "expected a softcap above 0 that a float can hold, found inf");
  CHECK(fault_of({.softcap = 1e300}) == "expected a softcap above 0 that a float can hold, found 1e+300");
  CHECK(fault_of({.softcap = 1e-46}) == "expected a softcap of at least 1.18e-38, found 1e-46");
  CHECK(fault_of({.alibi_slopes = {1, 2}}) == "expected ALiBi slopes for each of 4 query heads, found 2");
  CHECK(fault_of({.sinks = {1, 2, 3, kInf}}) == "expected sinks that a float can hold, found inf");
  CHECK(fault_of({.alibi_slopes = {1, 2, 3, -1e39}}) ==
        "expected ALiBi slopes that a float can hold, found -1e+39");
  CHECK(fault_of({}).empty());
}

TEST_CASE("the scales of stored keys and values are finite and above 0, whoever calls") {
  RandomProblem random({.kv_len = 4});
  for (double DecodeProblem::*scale : {&DecodeProblem::k_scale, &DecodeProblem::v_scale}) {
    for (const double wrong : {0.0, -0.0, -1.0, kInf, -kInf, std::nan("")}) {
      random.problem.*scale = wrong;
      CAPTURE(wrong);
      CHECK(
          find_fault(random.problem).value_or("").find("expected finite scales of k and v above 0, found ") ==
          0);
    }
    random.problem.*scale = 1e39;
    CHECK(find_fault(random.problem).value_or("").find("expected scales that a float can hold, found ") == 0);
    random.problem.*scale = 0.25;
    CHECK_FALSE(find_fault(random.problem));
  }
  random.problem.scale = 1e30, random.problem.k_scale = 1e10;
  CHECK(find_fault(random.problem) ==
        "expected a float to hold the softmax scale times that of k, found 1e+30 · 10000000000");
  random.problem.scale = 3.4028235e38, random.problem.k_scale = 1;
  CHECK_FALSE(find_fault(random.problem));  // rounds to the largest float
}

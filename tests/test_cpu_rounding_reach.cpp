// How far rounding may move plain attention: closed forms, tensors of a few numbers, and large ones.
#include "cpu/rounding_reach.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/problem/encode.h"
#include "core/problem/round_to.h"
#include "cpu/check.h"
#include "cpu/oracle.h"
#include "cpu/plain_attention.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

using Pair = std::array<double, 2>;
constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16};

struct FloatAttention {
  std::vector<float> o, lse_ln;
};

/// A careful kernel, not plain attention: weights below the row's maximum are rounded to P's type and divided by at the end.
FloatAttention round_unnormalised(const DecodeProblem& p) {
  FloatAttention out;
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    std::vector<float> scores, o(static_cast<std::size_t>(p.v_head_dim));
    for (std::int64_t key = 0; key < p.kv_len; ++key) {
      float dot = 0;
      for (std::int64_t c = 0; c < p.head_dim; ++c)
        dot +=
            static_cast<float>(p.q.at(0, h, 0, c)) * static_cast<float>(p.k.at(0, p.kv_head_of(h), key, c));
      scores.push_back(dot * static_cast<float>(p.scale));
    }
    const float max = *std::max_element(scores.begin(), scores.end());
    float l = 0;
    for (std::int64_t key = 0; key < p.kv_len; ++key) {
      const float weight = std::exp(scores[static_cast<std::size_t>(key)] - max);
      l += weight;
      const auto rounded = static_cast<float>(round_to(p_type_of(p), weight));
      for (std::int64_t c = 0; c < p.v_head_dim; ++c)
        o[static_cast<std::size_t>(c)] += rounded * static_cast<float>(p.v.at(0, p.kv_head_of(h), key, c));
    }
    for (const float x : o) out.o.push_back(x / l);
    out.lse_ln.push_back(max + std::log(l));
  }
  return out;
}

struct Largest {
  double plain = 0, reach = 0, oracle = 0;
};

/// Over all rows of a problem with one sequence and one query row.
Largest largest(const DecodeProblem& p) {
  Largest all;
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    const OracleRow oracle = oracle_row(p, 0, h);
    const PlainRow plain = plain_attention_row(p, oracle, 0, h, 0, DType::f32);
    for (std::size_t c = 0; c < oracle.o.size(); ++c) {
      all.plain = std::max(all.plain, std::abs(plain.o[c] - oracle.o[c]));
      all.reach = std::max(all.reach, plain.reach[c]);
      all.oracle = std::max(all.oracle, std::abs(oracle.o[c]));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("nothing is rounded in a row of one key, or of none") {
  for (const DType type : kTypes) {
    RoundingReach reach(2, type);
    CHECK(reach.of_components() == std::vector<double>{0, 0});
    reach.add(1, 20, Pair{3, -4});
    CHECK(reach.of_components() == std::vector<double>{0, 0});
  }
}

TEST_CASE("P of 16 bits: all errors at their most for two keys, 3.5 standard deviations for many") {
  RoundingReach two(2, DType::bf16);
  two.add(0.5, 0, Pair{3, 1});
  two.add(0.5, 0, Pair{-4, 1});
  CHECK(two.of_components()[0] == doctest::Approx(0x1p-9 * 7).epsilon(1e-3));
  CHECK(two.of_components()[1] == doctest::Approx(0x1p-9 * 2).epsilon(1e-3));

  RoundingReach many(2, DType::bf16);
  for (int i = 0; i < 1024; ++i) many.add(0x1p-10, 0, Pair{i % 2 ? 1. : -1., 0});
  CHECK(many.of_components()[0] == doctest::Approx(2 * 0x1p-18 * 32).epsilon(1e-3));
  CHECK(many.of_components()[1] == 0);

  RoundingReach nearly_one(2, DType::bf16);  // the nearest number of the type is 1
  nearly_one.add(1 - 0x1p-12, 0, Pair{1, 0});
  CHECK(nearly_one.of_components()[0] == doctest::Approx(0x1p-12));
}

TEST_CASE("a float score: what it is off by moves the output as far as V lies from it") {
  RoundingReach reach(2, DType::f32);
  for (int i = 0; i < 1024; ++i) reach.add(0x1p-10, 1e6, Pair{i % 2 ? 1. : -1., 1});
  CHECK(reach.of_components()[0] == doctest::Approx(std::sqrt(2) * 0x1p-24 * 1e6 / 32).epsilon(1e-3));
  CHECK(reach.of_components()[1] < 1e-3 * reach.of_components()[0]);
}

TEST_CASE("on tensors of one to three numbers a careful kernel passes, however lucky plain attention was") {
  int outside_without = 0;
  for (const DType type : kTypes)
    for (unsigned seed = 0; seed < 1000; ++seed) {
      const RandomProblem random({.q_heads = 1,
                                  .kv_heads = 1,
                                  .kv_len = 1 + seed % 60,
                                  .head_dim = seed % 2 ? 16 : 1,
                                  .v_head_dim = 1 + seed % 3,
                                  .type = type},
                                 seed, seed % 5 ? 1 : 10);
      const FloatAttention found = round_unnormalised(random.problem);
      const Check check = check_against_oracle(random.problem, found.o, found.lse_ln, DType::f32);
      CAPTURE(std::string(name_of(type)));
      CAPTURE(seed);
      CHECK(check.o.outcome == Outcome::passed);
      const Largest of = largest(random.problem);
      if (check.o.difference.max_abs > 2 * of.plain + ulp_of(DType::f32, of.oracle)) ++outside_without;
    }
  CHECK(outside_without > 100);
}

TEST_CASE(
    "on large tensors it is near what plain attention's largest error is, and so sets no looser limit") {
  for (const DType type : kTypes)
    for (const std::int64_t kv_len : {2, 30, 500})
      for (const double sharpness : {0.5, 2.0}) {
        const RandomProblem random({.q_heads = 256,
                                    .kv_heads = 256,
                                    .kv_len = kv_len,
                                    .head_dim = 32,
                                    .v_head_dim = 8,
                                    .type = type},
                                   3, sharpness);
        const Largest of = largest(random.problem);
        CAPTURE(std::string(name_of(type)));
        CAPTURE(kv_len);
        CAPTURE(sharpness);
        CHECK(of.reach > 0.7 * of.plain);
        CHECK(of.reach < 3 * of.plain);
      }
}

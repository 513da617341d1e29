// The judge itself: careful float programs pass on rows of any length, and a small systematic error does not.
#include "cpu/check.h"
#include "cpu/plain_attention.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/random_problem.h"

using namespace fdlab;

namespace {

struct FloatAttention {
  std::vector<float> o, lse_ln;
};

/// What anybody writes first: float scores, one maximum, one running sum from the first key to the last.
FloatAttention running_sums(const DecodeProblem& p, float weight_factor = 1) {
  FloatAttention out;
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    std::vector<float> scores(static_cast<std::size_t>(p.kv_len));
    for (std::int64_t key = 0; key < p.kv_len; ++key) {
      float dot = 0;
      for (std::int64_t c = 0; c < p.head_dim; ++c)
        dot +=
            static_cast<float>(p.q.at(0, h, 0, c)) * static_cast<float>(p.k.at(0, p.kv_head_of(h), key, c));
      scores[static_cast<std::size_t>(key)] = dot * static_cast<float>(p.scale);
    }
    const float max = *std::max_element(scores.begin(), scores.end());
    std::vector<float> o(static_cast<std::size_t>(p.v_head_dim));
    float l = 0;
    for (std::int64_t key = 0; key < p.kv_len; ++key) {
      const float weight = std::exp(scores[static_cast<std::size_t>(key)] - max);
      l += weight;
      for (std::int64_t c = 0; c < p.v_head_dim; ++c)
        o[static_cast<std::size_t>(c)] += (key % 2 ? weight : weight * weight_factor) *
                                          static_cast<float>(p.v.at(0, p.kv_head_of(h), key, c));
    }
    for (const float x : o) out.o.push_back(x / l);
    out.lse_ln.push_back(max + std::log(l));
  }
  return out;
}

Outcome judged(const DecodeProblem& p, const FloatAttention& found) {
  const Check check = check_against_oracle(p, found.o, found.lse_ln, DType::f32);
  CHECK(check.lse.outcome == Outcome::passed);
  return check.o.outcome;
}

}  // namespace

TEST_CASE(
    "one running float sum passes however long the row, a weight that is off by a thousandth does not") {
  for (const std::int64_t kv_len : {1, 100, 10'000, 131'072})
    for (const unsigned seed : {1u, 2u, 3u}) {
      CAPTURE(kv_len);
      CAPTURE(seed);
      const RandomProblem random(
          {.q_heads = 2, .kv_heads = 1, .kv_len = kv_len, .head_dim = 16, .v_head_dim = 16}, seed, 1);
      CHECK(judged(random.problem, running_sums(random.problem)) == Outcome::passed);
      CHECK(judged(random.problem, running_sums(random.problem, 1.001f)) == Outcome::failed);
    }
}

TEST_CASE("a NaN in one head is found there, and the other heads keep their limits") {
  RandomProblem random({.q_heads = 4, .kv_heads = 2, .kv_len = 9, .head_dim = 4, .v_head_dim = 4});
  auto* const k = reinterpret_cast<float*>(const_cast<std::byte*>(random.k.data.get()));
  k[3 * 4] = std::numeric_limits<float>::infinity();  // KV head 0, key 3
  const FloatAttention found = running_sums(random.problem);
  const Check check = check_against_oracle(random.problem, found.o, found.lse_ln, DType::f32);
  CHECK(check.o.outcome == Outcome::failed);
  CHECK(check.o.index < 8);  // query heads 0 and 1 read KV head 0
  CHECK(std::isnan(check.o.found));
}

TEST_CASE(
    "P may be rounded to what V is multiplied as: its own type of 16 bits, f16 for e4m3, else a float") {
  const std::pair<DType, DType> types[] = {{DType::f64, DType::f32},
                                           {DType::f32, DType::f32},
                                           {DType::f16, DType::f16},
                                           {DType::bf16, DType::bf16},
                                           {DType::e4m3, DType::f16}};
  for (const auto& [stored, of_p] : types) {
    DecodeProblem p;
    p.v.type = stored;
    CHECK((p_type_of(p) == of_p));
  }
}

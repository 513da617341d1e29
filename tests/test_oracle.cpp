#include "cpu/oracle.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/io/load_problem.h"
#include "core/io/npy.h"
#include "tests/random_problem.h"
#include "tests/test_vectors.h"

using namespace fdlab;

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Relative to the larger of 1 and the expected value, for float inputs: the scores themselves are rounded.
doctest::Approx about(double expected) { return doctest::Approx(expected).epsilon(2e-7); }

float ln(double x) { return static_cast<float>(std::log(x)); }

}  // namespace

TEST_CASE("closed forms: weights 1, 1, 2, 2, 4 over the values 1 … 5") {
  const ScoreProblem p({ln(1), ln(1), ln(2), ln(2), ln(4)}, {1, 2, 3, 4, 5});
  const OracleRow row = oracle_row(p.problem, 0, 0);
  for (const double o : row.o) CHECK(o == about(3.7));
  CHECK(row.lse_ln == about(std::log(10.0)));
  CHECK(row.max_abs_score == about(std::log(4.0)));
  CHECK(row.spread[0] == about(3.7));
}

TEST_CASE("C05: a masked key has no weight, and its V is not read") {
  const ScoreProblem p({kMasked, kMasked, kMasked, kMasked, ln(1), ln(2), ln(3), ln(4)},
                       {9, kNaN, 9, 9, 1, 2, 3, 4});
  const OracleRow row = oracle_row(p.problem, 0, 0);
  CHECK(row.o[0] == about(3.0));
  CHECK(row.lse_ln == about(std::log(10.0)));
}

TEST_CASE("a row that sees no key is (0, -inf)") {
  ScoreProblem masked({kMasked, kMasked}, {kNaN, 1});
  ScoreProblem none({0, 0}, {1, 2});
  none.problem.kv_lens = {0};
  for (const DecodeProblem* p : {&masked.problem, &none.problem}) {
    const OracleRow row = oracle_row(*p, 0, 0);
    CHECK(row.o == std::vector<double>(ScoreProblem::kDim, 0.0));
    CHECK(row.lse_ln == -std::numeric_limits<double>::infinity());
  }
}

TEST_CASE("C06: slots beyond kv_len are never read; NaN within it comes out") {
  ScoreProblem p({ln(1), ln(1), ln(2), ln(2), ln(4), kNaN, INFINITY, kNaN},
                 {1, 2, 3, 4, 5, kNaN, kNaN, kNaN});
  p.problem.kv_lens = {5};
  CHECK(oracle_row(p.problem, 0, 0).o[0] == about(3.7));
  p.problem.kv_lens = {6};
  CHECK(std::isnan(oracle_row(p.problem, 0, 0).o[0]));
  CHECK(std::isnan(oracle_row(p.problem, 0, 0).lse_ln));
}

TEST_CASE("C10, C39: large scores") {
  const ScoreProblem high({100, 99}, {1, 3}), low({-200, -201}, {1, 3});
  CHECK(oracle_row(high.problem, 0, 0).o[0] == about(1.537883));
  CHECK(oracle_row(high.problem, 0, 0).lse_ln == about(100.313262));
  CHECK(oracle_row(low.problem, 0, 0).o[0] == about(1.537883));
  CHECK(oracle_row(low.problem, 0, 0).lse_ln == about(-199.686738));
  const ScoreProblem huge({12800, 12800, 12800, 12800}, {1, 2, 3, 4});
  CHECK(oracle_row(huge.problem, 0, 0).o[0] == 2.5);
  CHECK(oracle_row(huge.problem, 0, 0).lse_ln == about(12801.386294));
}

TEST_CASE("C18: one key past a tile, and more keys than one block of the oracle") {
  for (const int kv_len : {1, 255, 256, 257, 4096, 4097, 10000}) {
    std::vector<float> scores(static_cast<std::size_t>(kv_len), 0.0f), values;
    for (int i = 0; i < kv_len; ++i) values.push_back(static_cast<float>(i));
    const ScoreProblem p(scores, values);
    CHECK(oracle_row(p.problem, 0, 0).o[0] == doctest::Approx((kv_len - 1) / 2.0));
    CHECK(oracle_row(p.problem, 0, 0).lse_ln == doctest::Approx(std::log(kv_len)));
  }
}

TEST_CASE("C34: consecutive query heads share a KV head") {
  RandomProblem p({.q_heads = 6, .kv_heads = 2, .kv_len = 3, .v_head_dim = 1});
  const std::vector<float> values{1, 1, 1, 2, 2, 2};
  p.v = make_tensor("v", {1, 2, 3, 1}, DType::f32, values);
  p.problem.v.data = p.v.data.get();
  const double expected[] = {1, 1, 1, 2, 2, 2};
  for (int h = 0; h < 6; ++h) CHECK(oracle_row(p.problem, 0, h).o[0] == doctest::Approx(expected[h]));
}

TEST_CASE("the oracle agrees with vectors and real data computed elsewhere") {
  for (const TestVector& vector : all_vectors()) {
    CAPTURE(vector.name);
    const LoadedProblem loaded = vector.load();
    const std::vector<OracleRow> rows = oracle_rows(loaded.problem);
    const auto dim = static_cast<std::size_t>(loaded.problem.v_head_dim);
    const std::vector<double> o = vector.expected_o(), lse = vector.expected_lse();
    REQUIRE(o.size() == rows.size() * dim);
    REQUIRE(lse.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double lse_limit = 1e-14 * std::max(1.0, rows[i].max_abs_score);
      CHECK((rows[i].lse_ln == lse[i] || std::abs(rows[i].lse_ln - lse[i]) <= lse_limit));
      for (std::size_t c = 0; c < dim; ++c)
        CHECK(std::abs(rows[i].o[c] - o[i * dim + c]) <=
              1e-14 * std::max(1.0, rows[i].max_abs_score) * (1 + rows[i].spread[c]));
    }
  }
}

// Thousands of random rows, plans, forms and merge orders, each against one flat sum in float64. A failure names its seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/math/partial.h"
#include "core/plan/plan.h"
#include "cpu/fast_executor.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();

/// One query row: its keys' scores, and values of one column.
struct ScoredRow {
  std::vector<float> scores, values;
  double max_abs_score = 0, max_abs_value = 0;
};

/// Short and long, flat and sharp, with ties; with_masked: some keys, now and then all, have score −∞.
ScoredRow random_row(std::mt19937& random, bool with_masked) {
  std::normal_distribution<float> normal;
  const auto below = [&](unsigned n) { return random() % n; };
  const float size = std::vector<float>{0, 1, 30, 10000}[below(with_masked ? 4 : 3)];
  const unsigned masked_in_16 = with_masked ? std::vector<unsigned>{0, 2, 16}[below(3)] : 0;
  ScoredRow row;
  for (unsigned left = below(70); left > 0; --left) {
    const bool ties = !row.scores.empty() && below(4) == 0;
    float score = ties ? row.scores.back() : size * normal(random);
    if (below(16) < masked_in_16) score = kMinusInfinity;
    row.scores.push_back(score);
    row.values.push_back(normal(random));
    if (std::isfinite(score)) row.max_abs_score = std::max<double>(row.max_abs_score, std::abs(score));
    row.max_abs_value = std::max<double>(row.max_abs_value, std::abs(row.values.back()));
  }
  return row;
}

DecodePlan random_plan(std::mt19937& random, std::int64_t kv_len) {
  DecodePlan plan;
  plan.kv_len = kv_len;
  plan.tile_size = 1 + static_cast<std::int64_t>(random() % 20);
  plan.num_streams = 1 + static_cast<std::int64_t>(random() % 9);
  plan.deal = static_cast<Deal>(random() % 3);
  plan.merge = static_cast<MergeOrder>(random() % 4);
  return plan;
}

struct Expected {
  double o = 0, log_sum = -std::numeric_limits<double>::infinity();
};

/// The flat sum, in the base that the scores are in.
template <class Exp>
Expected flat_reference(const ScoredRow& row) {
  double max = -std::numeric_limits<double>::infinity(), sum = 0, weighted = 0;
  for (const float score : row.scores) max = std::max<double>(max, score);
  if (std::isinf(max)) return {};
  for (std::size_t i = 0; i < row.scores.size(); ++i) {
    const double weight = Exp::exp(row.scores[i] - max);
    sum += weight;
    weighted += weight * row.values[i];
  }
  return {weighted / sum, max + Exp::log(sum)};
}

/// Every stream folds the keys of its tiles in order.
template <class Form>
std::vector<PartialOf<Form>> fold_streams(const DecodePlan& plan, const ScoredRow& row) {
  std::vector<PartialOf<Form>> streams;
  for (std::int64_t s = 0; s < plan.num_streams; ++s) {
    streams.push_back(empty_partial<Form>(1));
    streams.back().payload[0] = std::numeric_limits<float>::quiet_NaN();  // of an empty partial: never read
    const TileRun run = plan.stream(s);
    for (std::int64_t t = 0; t < run.count; ++t)
      for (KeyRange keys = plan.tile(run.tile(t)); keys.begin < keys.end; ++keys.begin) {
        const auto key = static_cast<std::size_t>(keys.begin);
        fold(streams.back(), Form::of(row.scores[key]), std::vector<float>{row.values[key]});
      }
  }
  return streams;
}

/// Any two become one until one is left: any tree, either side first.
template <class Form>
PartialOf<Form> merge_in_any_order(std::vector<PartialOf<Form>> partials, std::mt19937& random) {
  while (partials.size() > 1) {
    std::shuffle(partials.begin(), partials.end(), random);
    const PartialOf<Form> last = partials.back();
    partials.pop_back();
    fold(partials.back(), last);
  }
  return partials.front();
}

/// 4 ulp of the largest value per merge; a log-sum is itself rounded each time, and a weight is off by that much.
template <class Form, class Exp>
void check_form(unsigned seed, bool keeps_log_sum) {
  std::mt19937 random(seed);
  const ScoredRow row = random_row(random, true);
  const DecodePlan plan = random_plan(random, std::ssize(row.scores));
  const PartialOf<Form> all = merge_in_any_order(fold_streams<Form>(plan, row), random);
  const Expected expected = flat_reference<Exp>(row);
  const auto merges = static_cast<double>(std::ssize(row.scores) + plan.num_streams);
  const double size = 1 + row.max_abs_score;
  INFO("seed ", seed, ", ", std::string(Form::kName), " in base ", std::string(Exp::kName), ", keys ",
       row.scores.size());
  CHECK(all.empty() == std::isinf(expected.log_sum));
  CHECK(std::abs(output_of(all)[0] - expected.o) <=
        4 * kEpsilon * merges * row.max_abs_value * (keeps_log_sum ? size : 1));
  const double log_sum = to_log_sum<Exp>(all.stats).S;
  CHECK(
      (log_sum == expected.log_sum || std::abs(log_sum - expected.log_sum) <= 4 * kEpsilon * merges * size));
}

}  // namespace

TEST_CASE("any plan and any merge order give the flat sum, in every form and base") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    check_form<MlNormalised<float>, BaseE>(seed, false);
    check_form<MlUnnormalised<float>, BaseE>(seed, false);
    check_form<Lse<float>, BaseE>(seed, true);
    check_form<MlNormalised<float, Base2>, Base2>(seed, false);
    check_form<MlUnnormalised<float, Base2>, Base2>(seed, false);
    check_form<Lse<float, Base2>, Base2>(seed, true);
  }
}

TEST_CASE("both executors give the flat sum by any method, plan and merge order") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const ScoredRow row = random_row(random, false);
    const ScoreProblem fixture(row.scores, row.values);
    const DecodePlan plan = random_plan(random, std::ssize(row.scores));
    const auto method = static_cast<Method>(random() % kMethodNames.size());
    const Expected expected = flat_reference<BaseE>(row);
    const double limit = 4 * kEpsilon * (1 + row.max_abs_score) * (1 + row.max_abs_value);
    INFO("seed ", seed, ", ", std::string(name_of(method)), ", merge ", std::string(name_of(plan.merge)),
         ", keys ", row.scores.size());
    const DecodeOutput plain = decode_by_plan(fixture.problem, method, plan);
    CHECK(std::abs(plain.o[3] - expected.o) <= limit);
    CHECK((plain.lse_ln[0] == expected.log_sum || std::abs(plain.lse_ln[0] - expected.log_sum) <= limit));
    if (available_isas().empty() || fault_for_fast(fixture.problem, method)) continue;
    const DecodeOutput fast = decode_fast(fixture.problem, method, plan, available_isas().front()).output;
    CHECK(std::abs(fast.o[3] - expected.o) <= 8 * limit);
    CHECK((fast.lse_ln[0] == expected.log_sum || std::abs(fast.lse_ln[0] - expected.log_sum) <= 8 * limit));
  }
}

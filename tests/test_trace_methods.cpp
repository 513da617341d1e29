// Every method takes its own steps in a traced run, by the problem's own rules.
#include <doctest/doctest.h>

#include <cmath>

#include "core/plan/plan_for.h"
#include "cpu/oracle.h"
#include "tests/plain_run.h"
#include "tests/random_problem.h"

using namespace fdlab;

TEST_CASE("standard attention: a step a key, then all at once, with the bits of an independent run") {
  for (const std::int64_t kv_len : {1, 2, 3, 10, 31, 64, 130}) {
    const Fixture f(kv_len, 4, 3, static_cast<unsigned>(kv_len));
    const DecodePlan plan = plan_for(Method::standard, {.tile_size = 4, .num_streams = 2}, kv_len);
    REQUIRE_FALSE(find_fault(f.problem, plan, Method::standard, {}));
    const Trace trace = record(f.problem, plan, Method::standard, {});
    CAPTURE(kv_len);
    CHECK(trace.steps().num_steps() == kv_len + (kv_len > 1 ? 1 : 0) + 1);
    check_steps(f, trace);
    const OracleRow oracle = oracle_row(f.problem, 0, 0);
    CHECK(trace.result().S_ln == doctest::Approx(oracle.lse_ln).epsilon(1e-6));
    for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(trace.result().o[c] - oracle.o[c]) < 2e-6);
  }
  const Fixture f(10, 4, 3, 1);
  CHECK(find_fault(f.problem, {10, 4, 2}, Method::standard, {})->find("found tiles of 4, 2 and sequential") !=
        std::string::npos);
}

TEST_CASE(
    "online: o is divided at every key, or O = l·o once at the end; both recursions of the derivation by "
    "hand") {
  const Fixture f(12, 4, 3, 5);
  const DecodePlan plan{12, 4, 1};
  const Trace divided = record(f.problem, plan, Method::online, {}),
              summed = record(f.problem, plan, Method::online_unnormalised, {});
  CHECK(divided.steps().num_steps() == 12 + 1);  // no step for a tile, none for a fold
  double m = -INFINITY, l = 0;
  std::vector<double> o(3);
  for (std::int64_t key = 0; key < 12; ++key) {
    const double score = divided.score(key), m_before = m, l_before = l;
    m = std::max(m, score);
    l = l_before * std::exp(m_before - m) + std::exp(score - m);
    for (std::size_t c = 0; c < 3; ++c)
      o[c] = (l_before * std::exp(m_before - m) * o[c] +
              std::exp(score - m) * f.v[static_cast<std::size_t>(key) * 3 + c]) /
             l;
    const Partial a = divided.detail(key + 1).result, b = summed.detail(key + 1).result;
    for (const Partial& running : {a, b}) {
      CHECK(running.m == static_cast<float>(m));
      CHECK(running.l == doctest::Approx(l).epsilon(1e-5));
      for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(running.o[c] - o[c]) < 1e-5);
    }
    CHECK(a.O.empty());
    for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(b.O[c] - l * o[c]) < 1e-4);
  }
}

TEST_CASE("a trace follows the problem's rules and scales, in every method; sinks are refused") {
  const ScoreRules all[] = {{.causal = true},
                            {.causal = true, .window = 7},
                            {.softcap = 2},
                            {.alibi_slopes = {0.5, 0.125}},
                            {.causal = true, .window = 9, .softcap = 3, .alibi_slopes = {0.3, 0.2}}};
  for (const ScoreRules& rules : all) {
    RandomProblem random({.q_len = 3, .kv_len = 30});
    DecodeProblem& p = random.problem;
    p.rules = rules;
    p.k_scale = 0.5;
    p.v_scale = 3;
    for (std::int64_t row = 0; row < 3; ++row) {
      const OracleRow oracle = oracle_row(p, 0, 1, row);
      for (const Method method : {Method::standard, Method::online, Method::online_unnormalised, Method::mlo,
                                  Method::mlo_unnormalised, Method::lse}) {
        const DecodePlan plan =
            plan_for(method, {.tile_size = 4, .num_streams = 3, .merge = MergeOrder::tree}, 30);
        REQUIRE_FALSE(find_fault(p, plan, method, {0, 1, row}));
        const Trace trace = record(p, plan, method, {0, 1, row});
        CHECK(trace.result().S_ln == doctest::Approx(oracle.lse_ln).epsilon(1e-5));
        for (std::size_t c = 0; c < oracle.o.size(); ++c)
          CHECK(std::abs(trace.result().o[c] - oracle.o[c]) < 2e-5);
        CHECK(std::isfinite(trace.min_score()));
      }
    }
    p.rules.sinks = {1, 1};
    CHECK(find_fault(p, {30, 4, 3}, Method::mlo, {})->find("without sinks") != std::string::npos);
  }
}

TEST_CASE("checkpoints of long runs that go key by key give the bits of a run from the start") {
  const std::int64_t kv_len = 9001;
  const Fixture f(kv_len, 4, 2, 12);
  for (const Method method : {Method::online, Method::online_unnormalised})
    for (const std::int64_t tile : {1, 5, 64, 9001}) {
      const Trace trace =
          record(f.problem, {kv_len, tile, 2, Deal::round_robin, MergeOrder::tree}, method, {});
      const auto compare = [&]<class Form>(Form) {
        const PlainRun<Form> plain(f, trace, trace.plan());
        CAPTURE(tile);
        check_every_37th_step(trace, plain);
        CHECK(trace.bytes() < 1'000'000);
      };
      if (method == Method::online) compare(MlNormalised<float>{});
      else compare(MlUnnormalised<float>{});
    }
}

// The traced run: right against the oracle, and every step reachable with the bits of an independent run that stops
// there.
#include "core/trace/trace.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "cpu/oracle.h"
#include "tests/plain_run.h"

using namespace fdlab;

TEST_CASE("the traced result equals the oracle over odd sizes, whatever the plan") {
  for (const std::int64_t kv_len : {1, 2, 7, 31, 33, 257})
    for (const auto& [head_dim, v_head_dim] :
         {std::pair<std::int64_t, std::int64_t>{1, 3}, {8, 8}, {13, 5}}) {
      const Fixture f(kv_len, head_dim, v_head_dim, static_cast<unsigned>(kv_len * 31 + head_dim));
      for (const std::int64_t q_head : {0, 1}) {
        const OracleRow oracle = oracle_row(f.problem, 0, q_head);
        for (const Method method : kMethods)
          for (const MergeOrder order : kOrders)
            for (const Deal deal : {Deal::round_robin, Deal::contiguous, Deal::balanced})
              for (const std::int64_t tile : {1, 3, 32, 300})
                for (const std::int64_t streams : {1, 2, 5, 16}) {  // often more streams than tiles
                  const DecodePlan plan{kv_len, tile, streams, deal, order};
                  REQUIRE_FALSE(find_fault(f.problem, plan, method, {0, q_head, 0}));
                  const Trace trace = record(f.problem, plan, method, {0, q_head, 0});
                  const Partial result = trace.result();
                  double worst =
                      std::abs(result.S_ln - oracle.lse_ln) / std::max(1.0, std::abs(oracle.lse_ln));
                  for (std::size_t c = 0; c < oracle.o.size(); ++c)
                    worst = std::max(worst, std::abs(result.o[c] - oracle.o[c]));
                  if (!(worst < 2e-5)) {
                    CAPTURE(kv_len);
                    CAPTURE(tile);
                    CAPTURE(streams);
                    CAPTURE(name_of(method));
                    CAPTURE(name_of(order));
                    CAPTURE(name_of(deal));
                    CHECK(worst < 2e-5);
                  }
                }
      }
    }
}

TEST_CASE("step k of the trace has the bits of an independent run stopped after k steps") {
  for (const Method method : kMethods)
    for (const MergeOrder order : {MergeOrder::sequential, MergeOrder::tree, MergeOrder::flat})
      for (const Deal deal : {Deal::round_robin, Deal::contiguous, Deal::balanced})
        for (const auto& [keys, tile, streams] :
             {std::array<std::int64_t, 3>{10, 3, 2}, {23, 4, 6}, {12, 1, 5}, {9, 4, 7}, {130, 64, 1}}) {
          const std::int64_t kv_len = keys;
          const Fixture f(kv_len, 4, 3, 11);
          const DecodePlan plan{kv_len, tile, streams, deal, order};
          const Trace trace = record(f.problem, plan, method, {});
          CAPTURE(name_of(method));
          CAPTURE(name_of(order));
          CAPTURE(name_of(deal));
          CAPTURE(kv_len);
          check_steps(f, trace);
        }
}

TEST_CASE("checkpoints inside long tiles and along long streams give the bits of a run from the start") {
  const std::int64_t kv_len = 9001;
  const Fixture f(kv_len, 4, 2, 12);
  for (const std::int64_t tile : {1, 5, 9001}) {
    const DecodePlan plan{kv_len, tile, 2, Deal::round_robin, MergeOrder::tree};
    const Trace trace = record(f.problem, plan, Method::mlo, {});
    const PlainRun<MlNormalised<float>> plain(f, trace, plan);
    CAPTURE(tile);
    check_every_37th_step(trace, plain);
    CHECK(trace.bytes() < 1'000'000);
  }
}

TEST_CASE("a step joins its two sides with weights that give the result") {
  const Fixture f(50, 4, 4, 13);
  for (const Method method : kMethods)
    for (const MergeOrder order : kOrders) {
      const Trace trace = record(f.problem, {50, 8, 3, Deal::round_robin, order}, method, {});
      for (std::int64_t k = 1; k < trace.steps().num_steps(); ++k) {
        const StepDetail d = trace.detail(k);
        if (d.step.kind == StepKind::flat || d.step.kind == StepKind::log_sum) continue;
        CAPTURE(k);
        for (std::size_t c = 0; c < 4; ++c) {
          const double b = d.b.o.empty() ? 0 : d.b.o[c];
          CHECK(d.weight_a * d.a.o[c] + d.weight_b * b == doctest::Approx(d.result.o[c]).epsilon(1e-5));
        }
        if (d.step.kind != StepKind::weigh) CHECK(d.weight_a + d.weight_b == doctest::Approx(1));
      }
    }
}

TEST_CASE("the two-step merge forms S first and adds the streams in order") {
  const Fixture f(50, 4, 4, 14);
  const Trace trace = record(f.problem, {50, 8, 3, Deal::round_robin, MergeOrder::two_step}, Method::lse, {});
  const StepIndex& steps = trace.steps();
  CHECK(steps.num_merge_steps() == 2 + 3);
  CHECK(steps.at(steps.scan_end() + 1).kind == StepKind::log_sum);
  CHECK(trace.detail(steps.scan_end() + 2).result.S_ln == doctest::Approx(trace.result().S_ln));
  CHECK(same(trace.detail(steps.merge_end()).result, trace.result()));
}

TEST_CASE("an empty row gives 0 and minus infinity in every order") {
  const Fixture f(3, 4, 4, 15);
  DecodeProblem problem = f.problem;
  problem.kv_lens = {0};
  for (const Method method : kMethods)
    for (const MergeOrder order : kOrders)
      for (const std::int64_t streams : {1, 2, 5}) {
        const Trace trace = record(problem, {0, 8, streams, Deal::contiguous, order}, method, {});
        CHECK(trace.result().empty);
        CHECK(trace.result().S_ln == kMinusInfinity);
        for (const float x : trace.result().o) CHECK(same_bits(x, 0.0f));
        for (std::int64_t k = 0; k <= trace.steps().num_steps(); ++k)
          for (const float x : trace.detail(k).result.o) CHECK(same_bits(x, 0.0f));
        CHECK(trace.first_not_finite() == 0);
      }
}

TEST_CASE("NaN in unused slots is never read; NaN in use comes out and its step is named") {
  Fixture f(40, 4, 4, 16);
  DecodeProblem problem = f.problem;
  problem.kv_lens = {33};
  const DecodePlan plan{33, 8, 3, Deal::round_robin, MergeOrder::tree};
  const Partial clean = record(problem, plan, Method::mlo, {}).result();
  for (std::int64_t i = 33 * 4; i < 40 * 4; ++i) {
    f.k[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
    f.v[static_cast<std::size_t>(i)] = std::numeric_limits<float>::infinity();
  }
  CHECK(same(record(problem, plan, Method::mlo, {}).result(), clean));

  f.v[20 * 4 + 1] = std::numeric_limits<float>::quiet_NaN();
  for (const Method method : kMethods) {
    const Trace trace = record(problem, plan, method, {});
    CHECK(std::isnan(trace.result().o[1]));
    CHECK_FALSE(std::isnan(trace.result().o[0]));
    CHECK(trace.first_not_finite() == trace.steps().of_key(20));
    CHECK(trace.next_event(Event::not_finite, 0) == trace.steps().of_key(20));
  }
}

TEST_CASE("events are found in both directions") {
  const Fixture f(60, 4, 4, 17);
  const Trace trace = record(f.problem, {60, 8, 3, Deal::round_robin, MergeOrder::tree}, Method::mlo, {});
  const std::int64_t last = trace.steps().num_steps();
  for (const Event event : {Event::max_rises, Event::rescales, Event::merges}) {
    std::vector<std::int64_t> expected;
    for (std::int64_t k = 1; k <= last; ++k) {
      const StepDetail d = trace.detail(k);
      const bool joins = d.step.kind == StepKind::fold || d.step.kind == StepKind::merge;
      const bool both = !d.a.empty && !d.b.empty;
      const bool rises = both && (joins || d.step.kind == StepKind::key) && d.b.m > d.a.m;
      const bool rescales = both && (joins ? d.a.m != d.b.m : rises);
      if (event == Event::merges ? joins : event == Event::max_rises ? rises : rescales)
        expected.push_back(k);
    }
    std::vector<std::int64_t> forwards, backwards;
    for (std::int64_t k = trace.next_event(event, 0); k != 0; k = trace.next_event(event, k))
      forwards.push_back(k);
    for (std::int64_t k = trace.next_event(event, last, true); k != 0; k = trace.next_event(event, k, true))
      backwards.insert(backwards.begin(), k);
    CHECK(expected.size() > 5);
    CHECK(forwards == expected);
    CHECK(backwards == expected);
  }
}

TEST_CASE("weights of all keys sum to one, and so do the tiles' shares") {
  const Fixture f(100, 4, 4, 18);
  for (const Method method : kMethods) {
    const Trace trace = record(f.problem, {100, 16, 4, Deal::balanced, MergeOrder::tree}, method, {});
    double keys = 0, tiles = 0;
    for (std::int64_t j = 0; j < 100; ++j) keys += trace.weight(j);
    for (std::int64_t t = 0; t < 7; ++t) tiles += trace.tile_share(t);
    CHECK(keys == doctest::Approx(1).epsilon(1e-5));
    CHECK(tiles == doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("the check step reports the distance to the reference") {
  const Fixture f(100, 4, 4, 19);
  Trace trace = record(f.problem, {100, 16, 4, Deal::balanced, MergeOrder::tree}, Method::mlo, {});
  CHECK_FALSE(trace.check());
  const OracleRow oracle = oracle_row(f.problem, 0, 0);
  trace.set_reference({oracle.o, oracle.lse_ln});
  CHECK(trace.check()->max_abs_error < 1e-5);
  Reference moved{oracle.o, oracle.lse_ln + 0.5};
  moved.o[2] += 1;
  trace.set_reference(moved);
  CHECK(trace.check()->max_abs_error == doctest::Approx(1).epsilon(1e-4));
  CHECK(trace.check()->worst == 2);
  REQUIRE(trace.check()->abs_errors.size() == trace.result().o.size());
  CHECK(trace.check()->abs_errors[2] == trace.check()->max_abs_error);
  CHECK(trace.check()->abs_errors[0] < 1e-5);
  CHECK(trace.check()->lse_abs_error == doctest::Approx(0.5).epsilon(1e-4));
}

TEST_CASE("a million keys stay under 100 MB and every step is at hand") {
  const std::int64_t kv_len = 1'000'000;
  const Fixture f(kv_len, 2, 8, 20);
  const Trace trace =
      record(f.problem, {kv_len, 64, 8, Deal::round_robin, MergeOrder::tree}, Method::lse, {});
  CHECK(trace.bytes() < 20'000'000);
  CHECK(trace.steps().num_steps() == 1'000'000 + 15'625 + (15'625 - 8) + 7 + 1);
  for (std::int64_t k = 1; k < trace.steps().num_steps(); k += 99'991)
    CHECK(trace.detail(k).step.number == k);
}

TEST_CASE("runs that cannot be traced are refused in one sentence") {
  const Fixture f(10, 4, 4, 21);
  const DecodePlan plan{10, 4, 1};
  CHECK(find_fault(f.problem, plan, Method::mlo, {0, 2, 0})->find("head 2") != std::string::npos);
  CHECK(find_fault(f.problem, {9, 4, 1}, Method::mlo, {})->find("10 keys, found one for 9") !=
        std::string::npos);
  const DecodePlan wide{10, 4, 1'000'000'000, Deal::contiguous, MergeOrder::tree};
  CHECK(find_fault(f.problem, wide, Method::mlo, {})->find("MB") != std::string::npos);
}

TEST_CASE("shares of keys, runs of keys, tiles and streams agree, and all keys together weigh 1") {
  const Fixture f(1000, 4, 3, 21);
  for (const Method method : kMethods) {
    const DecodePlan plan{1000, 96, 3, Deal::round_robin, MergeOrder::tree};
    const Trace trace = record(f.problem, plan, method, {});
    float heaviest = 0;
    for (std::int64_t key = 0; key < 1000; ++key) heaviest = std::max(heaviest, trace.weight(key));
    CHECK(trace.max_weight() == heaviest);
    CHECK(heaviest < 0.9f);
    CHECK(trace.share({0, 1000}) == doctest::Approx(1));
    CHECK(trace.share({7, 7}) == 0);
    for (const KeyRange keys : {KeyRange{0, 1}, {63, 65}, {64, 128}, {10, 60}, {1, 999}, {500, 513}}) {
      float sum = 0, largest = kMinusInfinity;
      for (std::int64_t key = keys.begin; key < keys.end; ++key) {
        sum += trace.weight(key);
        largest = std::max(largest, trace.score(key));
      }
      CHECK(trace.share(keys) == doctest::Approx(sum).epsilon(1e-4));
      CHECK(trace.stats(keys).m == largest);
    }
    CHECK(trace.tile_share(4) == doctest::Approx(trace.share(plan.tile(4))).epsilon(1e-4));
    float streams = 0;
    for (std::int64_t s = 0; s < 3; ++s) streams += trace.stream_share(s);
    CHECK(streams == doctest::Approx(1));
    float largest_o = 0;
    for (std::int64_t t = 0; t < plan.num_tiles(); ++t)
      for (const float x : trace.tile(t).o) largest_o = std::max(largest_o, std::abs(x));
    CHECK(trace.max_abs_o() == largest_o);
  }
}

// Any merge tree: right in both executors and in the traced run, and with a named order's bits where it is that order's.
#include <doctest/doctest.h>

#include <cstring>

#include "core/trace/trace.h"
#include "cpu/check.h"
#include "cpu/fast_executor.h"
#include "cpu/oracle.h"
#include "tests/merge_trees.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

constexpr Method kTileMethods[] = {Method::mlo, Method::mlo_unnormalised, Method::lse};
const std::vector<std::int64_t> kLeafOrders[] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}};

DecodePlan plan_of(const MergeRule& merge, std::int64_t kv_len, std::int64_t streams = 5) {
  return {.kv_len = kv_len, .tile_size = 8, .num_streams = streams, .merge = merge};
}

void check_passes(const DecodeProblem& problem, const DecodeOutput& output) {
  const Check check = check_against_oracle(problem, output.o, output.lse_ln, DType::f32);
  CHECK(check.o.outcome == Outcome::passed);
  CHECK(check.lse.outcome == Outcome::passed);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
bool same_bits(const DecodeOutput& a, const DecodeOutput& b) {
  return same_bits(a.o, b.o) && same_bits(a.lse_ln, b.lse_ln);
}

}  // namespace

TEST_CASE("every tree over 5 streams equals the oracle in both executors, empty streams and all") {
  const RandomProblem random({.batch = 3,
                              .q_heads = 2,
                              .kv_len = 61,
                              .head_dim = 6,
                              .v_head_dim = 5,
                              .kv_lens = {61, 17, 0}});  // 8, 3 and 0 tiles
  for (const Postfix& shape : all_shapes(0, 5))
    for (const auto& leaves : kLeafOrders)
      for (const Deal deal : {Deal::round_robin, Deal::contiguous}) {
        DecodePlan plan = plan_of(tree_of(relabelled(shape, leaves)), 61);
        plan.deal = deal;
        CAPTURE(list_of(relabelled(shape, leaves)));
        for (const Method method : {Method::online, Method::online_unnormalised})
          check_passes(random.problem, decode_by_plan(random.problem, method, plan));
        for (const Method method : kTileMethods) {
          check_passes(random.problem, decode_by_plan(random.problem, method, plan));
          check_passes(random.problem,
                       decode_fast(random.problem, method, plan, available_isas().front()).output);
        }
      }
}

TEST_CASE("a named order, listed as a tree, has the named order's bits in both executors") {
  for (const std::int64_t streams : {1, 2, 5, 7, 12})
    for (const MergeOrder order : {MergeOrder::sequential, MergeOrder::tree}) {
      const RandomProblem random({.batch = 2, .q_heads = 2, .kv_len = 75, .kv_lens = {75, 20}});
      const MergeTree named(order, streams);
      const DecodePlan by_name = plan_of(order, 75, streams),
                       by_list = plan_of(tree_of(postfix_of(named, named.root())), 75, streams);
      CAPTURE(name_of(order));
      CAPTURE(streams);
      for (const Method method : kTileMethods) {
        CHECK(same_bits(decode_by_plan(random.problem, method, by_name),
                        decode_by_plan(random.problem, method, by_list)));
        const Isa isa = available_isas().front();
        CHECK(same_bits(decode_fast(random.problem, method, by_name, isa).output,
                        decode_fast(random.problem, method, by_list, isa).output));
      }
    }
}

TEST_CASE("another tree has other bits: it is really followed") {
  const RandomProblem random({.q_heads = 4, .kv_len = 200, .head_dim = 32, .v_head_dim = 32});
  const DecodePlan chain = plan_of(MergeOrder::sequential, 200);
  const DecodePlan mixed = plan_of(tree_of({3, 1, -1, 0, 4, 2, -1, -1, -1}), 200);
  const Isa isa = available_isas().front();
  for (const Method method : kTileMethods)
    CHECK_FALSE(same_bits(decode_fast(random.problem, method, chain, isa).output,
                          decode_fast(random.problem, method, mixed, isa).output));
}

TEST_CASE("the trace takes the tree's steps, and each has the bits of ⊕ on the streams themselves") {
  const RandomProblem random({.kv_len = 61});
  const Postfix symbols{2, 0, -1, 3, 4, 1, -1, -1, -1};
  const MergeTree tree(tree_of(symbols), 5);
  for (const Method method : kTileMethods) {
    const Trace trace = record(random.problem, plan_of(tree_of(symbols), 61), method, {});
    CHECK(trace.steps().num_merge_steps() == 4);
    for (std::int64_t i = 0; i < 4; ++i) {
      const StepDetail detail = trace.detail(trace.steps().of_merge(i));
      CHECK(detail.step.kind == StepKind::merge);
      const auto [a, b] = tree.children(i);
      CHECK(same_bits(detail.a.o, trace.node(a).o));
      CHECK(same_bits(detail.b.o, trace.node(b).o));
      CHECK(same_bits(detail.result.o, trace.node(5 + i).o));
    }
    CHECK(same_bits(trace.node(tree.root()).o, trace.result().o));
    const OracleRow oracle = oracle_row(random.problem, 0, 0);
    for (std::size_t c = 0; c < oracle.o.size(); ++c)
      CHECK(trace.result().o[c] == doctest::Approx(oracle.o[c]).epsilon(1e-5));
  }
}

TEST_CASE("a trace along a named order's own tree has its steps, bit by bit") {
  const RandomProblem random({.kv_len = 75});
  for (const MergeOrder order : {MergeOrder::sequential, MergeOrder::tree}) {
    const MergeTree named(order, 7);
    const Trace by_name = record(random.problem, plan_of(order, 75, 7), Method::mlo, {});
    const Trace by_list =
        record(random.problem, plan_of(tree_of(postfix_of(named, named.root())), 75, 7), Method::mlo, {});
    REQUIRE(by_list.steps().num_steps() == by_name.steps().num_steps());
    for (std::int64_t k = 0; k < by_name.steps().num_steps(); ++k) {
      CHECK(by_list.detail(k).step.kind == by_name.detail(k).step.kind);
      CHECK(same_bits(by_list.detail(k).result.o, by_name.detail(k).result.o));
      CHECK(by_list.detail(k).weight_a == by_name.detail(k).weight_a);
    }
  }
}

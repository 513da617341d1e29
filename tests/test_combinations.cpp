// Whatever is combined is either right or refused in a sentence: random shapes, types, strides, rules, methods, plans and
// merge trees, through both executors and the traced run. A failure names its seed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/io/tensor.h"
#include "core/plan/plan_for.h"
#include "core/problem/round_to.h"
#include "core/trace/trace.h"
#include "cpu/check.h"
#include "cpu/fast_executor.h"
#include "cpu/oracle.h"
#include "tests/merge_trees.h"

using namespace fdlab;

namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::int64_t from_to(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<unsigned>(most - least + 1));
  }
  bool one_in(std::int64_t n) { return from_to(1, n) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[from_to(0, std::ssize(values) - 1)];
  }
  double normal() { return normal_(random_); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// Elements, and a view into them.
struct Drawn {
  Tensor tensor;
  TensorView view;
};

enum class Lie { bhnd, bnhd, padded, every_other, backwards };

/// (batch, heads, tokens, dim) in one of the ways in which a cache may lie in memory.
Drawn draw_tensor(Draw& draw, std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t dim,
                  DType type, Lie lie, double factor) {
  const std::int64_t step = lie == Lie::every_other ? 2 : 1, row = step * dim + (lie == Lie::padded ? 3 : 0);
  std::vector<float> values(static_cast<std::size_t>(batch * heads * tokens * row));
  for (float& value : values) value = static_cast<float>(factor * draw.normal());
  Drawn drawn{make_tensor("drawn", {std::ssize(values)}, type, values), {}};
  drawn.view = {drawn.tensor.data.get(), type, {heads * tokens * row, tokens * row, row, step}};
  if (lie == Lie::bnhd) drawn.view.stride = {tokens * heads * row, row, heads * row, 1};
  if (lie == Lie::backwards && tokens > 0) {
    drawn.view.stride[2] = -row;
    drawn.view.data =
        drawn.tensor.data.get() + (tokens - 1) * row * static_cast<std::int64_t>(size_in_bytes(type));
  }
  return drawn;
}

ScoreRules draw_rules(Draw& draw, std::int64_t q_heads) {
  ScoreRules rules;
  rules.causal = draw.one_in(2);
  if (draw.one_in(3)) rules.window = draw.from_to(1, 90);
  if (draw.one_in(3)) rules.softcap = draw.one_of({0.5, 3.0, 30.0});
  rules.lse_includes_sink = !draw.one_in(3);
  for (std::vector<double>* per_head : {&rules.alibi_slopes, &rules.sinks})
    if (draw.one_in(3))
      for (std::int64_t h = 0; h < q_heads; ++h) per_head->push_back(0.2 * draw.normal());
  return rules;
}

MergeRule draw_merge(Draw& draw, std::int64_t streams) {
  if (streams > 12 || !draw.one_in(3)) return static_cast<MergeOrder>(draw.from_to(0, 3));
  std::vector<Postfix> trees;
  for (std::int64_t s = 0; s < streams; ++s) trees.push_back({s});
  while (trees.size() > 1) {
    const auto a = static_cast<std::size_t>(draw.from_to(0, std::ssize(trees) - 1));
    const Postfix taken = trees[a];
    trees.erase(trees.begin() + static_cast<std::ptrdiff_t>(a));
    const auto b = static_cast<std::size_t>(draw.from_to(0, std::ssize(trees) - 1));
    trees[b] = joined(trees[b], taken);
  }
  return tree_of(trees[0]);
}

/// One problem, and what is asked for.
struct Combination {
  Drawn q, k, v;
  DecodeProblem problem;
  Method method;
  DecodePlan plan;
  DType out_type;

  explicit Combination(Draw& draw) {
    DecodeProblem& p = problem;
    p.batch = draw.from_to(draw.one_in(20) ? 0 : 1, 3);
    p.kv_heads = draw.from_to(1, 2);
    p.q_heads = p.kv_heads * draw.from_to(1, 5);
    p.q_len = draw.one_in(2) ? 1 : draw.from_to(2, 4);
    p.kv_len = draw.one_in(10) ? draw.from_to(0, 3) : draw.from_to(1, 150);
    p.head_dim = draw.one_of<std::int64_t>({1, 3, 8, 16, 20, 33, 64});
    p.v_head_dim = draw.one_in(3) ? draw.from_to(1, 40) : p.head_dim;
    p.scale = draw.one_of({1 / std::sqrt(static_cast<double>(p.head_dim)), 0.3, -0.2, 0.0});
    if (draw.one_in(3)) p.k_scale = draw.one_of({0.25, 2.0, 1.0});
    if (draw.one_in(3)) p.v_scale = draw.one_of({0.125, 3.0, 1.0});
    if (draw.one_in(2))
      for (std::int64_t b = 0; b < p.batch; ++b) p.kv_lens.push_back(draw.from_to(0, p.kv_len));
    p.rules = draw_rules(draw, p.q_heads);

    const auto type = [&] {
      return draw.one_of({DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::f64});
    };
    const auto lie = [&] {
      return draw.one_of({Lie::bhnd, Lie::bhnd, Lie::bnhd, Lie::padded, Lie::every_other, Lie::backwards});
    };
    const DType kv_type = type(), v_type = draw.one_in(4) ? type() : kv_type;
    q = draw_tensor(draw, p.batch, p.q_heads, p.q_len, p.head_dim, type(), Lie::bhnd, 1.5);
    k = draw_tensor(draw, p.batch, p.kv_heads, p.kv_len, p.head_dim, kv_type, lie(), 1);
    v = draw_tensor(draw, p.batch, p.kv_heads, p.kv_len, p.v_head_dim, v_type, lie(), 1);
    p.q = q.view, p.k = k.view, p.v = v.view;

    method = static_cast<Method>(draw.from_to(0, std::ssize(kMethodNames) - 1));
    plan.tile_size = draw.one_in(2) ? draw.from_to(1, 20) : draw.from_to(20, 200);
    plan.num_streams = draw.one_in(10) ? 1000 : draw.from_to(1, 12);
    plan.deal = static_cast<Deal>(draw.from_to(0, 2));
    plan.merge = draw_merge(draw, plan.num_streams);
    out_type = draw.one_of({DType::f32, DType::f16, DType::bf16});
  }
};

void check_output(const Combination& c, DecodeOutput output) {
  for (float& x : output.o) x = static_cast<float>(round_to(c.out_type, x));
  const Check check = check_against_oracle(c.problem, output.o, output.lse_ln, c.out_type);
  CAPTURE(check.o.found);
  CAPTURE(check.o.expected);
  CAPTURE(check.o.limit);
  CAPTURE(check.lse.found);
  CAPTURE(check.lse.expected);
  CHECK_FALSE(check.failed());
  CHECK((check.o.outcome == Outcome::passed) == !output.o.empty());
}

void check_trace(const Combination& c, TracedRow row) {
  const DecodeProblem& p = c.problem;
  const DecodePlan plan = plan_for(c.method, c.plan, p.kv_len_of(row.sequence));
  if (const auto fault = find_fault(p, plan, c.method, row)) {
    CHECK_FALSE(p.rules.sinks.empty());
    CHECK(*fault == "expected a problem without sinks for a trace, found sinks");
    return;
  }
  CHECK(p.rules.sinks.empty());
  const Partial result = record(p, plan, c.method, row).result();
  const OracleRow oracle = oracle_row(p, row.sequence, row.q_head, row.row);
  CHECK((result.S_ln == oracle.lse_ln ||
         std::abs(result.S_ln - oracle.lse_ln) < 5e-5 * (1 + std::abs(oracle.lse_ln))));
  for (std::size_t i = 0; i < oracle.o.size(); ++i) CHECK(std::abs(result.o[i] - oracle.o[i]) < 5e-5);
}

}  // namespace

TEST_CASE("whatever is combined is right or refused, in both executors and the traced run") {
  std::map<std::string, int> counts;
  std::vector<unsigned> seeds(1000);
  std::iota(seeds.begin(), seeds.end(), 0u);
  // Where plain attention is off by so little that twice as much does not hold for everybody; in the last for its ALiBi bias.
  seeds.insert(seeds.end(), {4681, 4853, 6097, 8529, 11136, 11743, 10063});
  for (const unsigned seed : seeds) {
    Draw draw(seed);
    const Combination c(draw);
    const DecodeProblem& p = c.problem;
    INFO(fmt::format(
        "seed {}: batch {}, heads {}/{}, q_len {}, kv_len {}, dims {}/{}, types {}/{}/{} to {}, {}, tile {}, "
        "{} streams, {}, {}",
        seed, p.batch, p.q_heads, p.kv_heads, p.q_len, p.kv_len, p.head_dim, p.v_head_dim, name_of(p.q.type),
        name_of(p.k.type), name_of(p.v.type), name_of(c.out_type), name_of(c.method), c.plan.tile_size,
        c.plan.num_streams, name_of(c.plan.deal), name_of(c.plan.merge)));
    if (const auto fault = find_fault(p)) {
      CHECK(p.rules.window > 0);
      CHECK(fault->find("expected a causal mask with a window over more than one query row") == 0);
      ++counts["refused"];
      continue;
    }
    check_output(c, decode_by_plan(p, c.method, c.plan));
    if (p.batch > 0)
      check_trace(
          c, {draw.from_to(0, p.batch - 1), draw.from_to(0, p.q_heads - 1), draw.from_to(0, p.q_len - 1)});
    ++counts[c.plan.merge.given() ? "along a tree" : "in a named order"];
    if (const auto reason = fault_for_fast(p, c.method)) {
      CHECK(reason->find("plain executor") != std::string::npos);
      ++counts["plain only"];
      continue;
    }
    const auto isa = static_cast<std::size_t>(draw.from_to(0, std::ssize(available_isas()) - 1));
    check_output(c, decode_fast(p, c.method, c.plan, available_isas()[isa]).output);
    check_output(c, decode_fast(p, c.method, automatic_plan(p), available_isas()[isa]).output);
    ++counts["fast"];
  }
  for (const char* way : {"refused", "along a tree", "in a named order", "plain only", "fast"}) {
    CAPTURE(std::string(way));
    CHECK(counts[way] >= 40);
  }
}

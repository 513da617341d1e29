// A traced run held against the plan carried out from the start in the plainest way.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "core/trace/scan.h"
#include "core/trace/trace.h"

namespace fdlab {

/// A small random problem that owns its tensors: one KV head, two query heads.
struct Fixture {
  std::vector<float> q, k, v;
  DecodeProblem problem;

  Fixture(std::int64_t kv_len, std::int64_t head_dim, std::int64_t v_head_dim, unsigned seed,
          double sharpness = 3) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float>& x, std::int64_t n, float factor) {
      x.resize(static_cast<std::size_t>(n));
      for (float& value : x) value = factor * normal(random);
    };
    fill(q, 2 * head_dim, static_cast<float>(sharpness));
    fill(k, kv_len * head_dim, 1);
    fill(v, kv_len * v_head_dim, 1);
    problem.q_heads = 2;
    problem.kv_len = kv_len;
    problem.head_dim = head_dim;
    problem.v_head_dim = v_head_dim;
    problem.scale = 1 / std::sqrt(static_cast<double>(head_dim));
    problem.q = {q.data(), DType::f32, c_order_strides(2, 1, head_dim)};
    problem.k = {k.data(), DType::f32, c_order_strides(1, kv_len, head_dim)};
    problem.v = {v.data(), DType::f32, c_order_strides(1, kv_len, v_head_dim)};
  }
};

/// All but standard attention, which has its own plan.
inline constexpr Method kMethods[] = {Method::online, Method::online_unnormalised, Method::mlo,
                                      Method::mlo_unnormalised, Method::lse};
inline constexpr MergeOrder kOrders[] = {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step,
                                         MergeOrder::flat};

inline bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Same statistics and output, bit by bit.
inline bool same(const Partial& a, const Partial& b) {
  if (a.empty != b.empty || a.has_ml != b.has_ml || a.o.size() != b.o.size()) return false;
  if (!same_bits(a.m, b.m) || !same_bits(a.l, b.l) || !same_bits(a.S_ln, b.S_ln)) return false;
  for (std::size_t c = 0; c < a.o.size(); ++c)
    if (!same_bits(a.o[c], b.o[c])) return false;
  return true;
}

/// The plan carried out from the start in the plainest way, key by key, remembering what each step produced.
template <class Form>
struct PlainRun {
  using Scan = typename ScanForm<Form>::Type;
  struct Produced {
    StepKind kind;
    Partial result;
  };
  std::vector<Produced> steps;

  PlainRun(const Fixture& f, const Trace& trace, const DecodePlan& plan) {
    const std::int64_t dim = f.problem.v_head_dim;
    std::vector<PartialOf<Form>> streams(static_cast<std::size_t>(plan.num_streams),
                                         empty_partial<Form>(dim));
    for (std::int64_t begin = 0, t = 0; begin < plan.kv_len; begin += plan.tile_size, ++t) {
      const std::int64_t end = std::min(begin + plan.tile_size, plan.kv_len);
      if constexpr (std::is_same_v<Scan, Form>)
        if (goes_key_by_key(trace.method())) {
          key_by_key(f, trace, {begin, end}, streams[static_cast<std::size_t>(plan.stream_of(t))]);
          continue;
        }
      PartialOf<Scan> scan = empty_partial<Scan>(dim);
      for (std::int64_t key = begin; key < end; ++key) {
        fold(scan, Scan::of(trace.score(key)), f.v.data() + key * dim);
        steps.push_back({StepKind::key, shown(scan)});
      }
      const PartialOf<Form> tile = finish_tile<Form>(scan);
      steps.push_back({StepKind::tile_done, shown(tile)});
      PartialOf<Form>& stream = streams[static_cast<std::size_t>(plan.stream_of(t))];
      const bool opens = stream.empty();
      if (opens) {
        stream = tile;
      } else {
        fold(stream, tile);
        steps.push_back({StepKind::fold, shown(stream)});
      }
    }
    merge_all(plan, streams);
  }

  void key_by_key(const Fixture& f, const Trace& trace, KeyRange keys, PartialOf<Form>& stream) {
    for (std::int64_t key = keys.begin; key < keys.end; ++key) {
      fold(stream, Form::of(trace.score(key)), f.v.data() + key * f.problem.v_head_dim);
      steps.push_back({StepKind::key, shown(stream)});
    }
  }

  /// m, then l, then o, each over all streams in order.
  void merge_flat(const std::vector<PartialOf<Form>>& row) {
    Partial all{.has_ml = std::is_same_v<typename Form::Stats, MaxSum<float>>, .o = {}, .O = {}};
    for (const auto& stream : row) all.m = std::max(all.m, as_max_sum(stream.stats).m);
    for (const auto& stream : row)
      if (!stream.empty()) all.l += std::exp(as_max_sum(stream.stats).m - all.m) * as_max_sum(stream.stats).l;
    all.empty = all.l == 0;
    if (!all.empty) all.S_ln = all.m + std::log(all.l);
    all.o.assign(row[0].payload.size(), 0.0f);
    for (const auto& stream : row) {
      if (stream.empty()) continue;
      const MaxSum<float> stats = as_max_sum(stream.stats);
      const float weight = std::exp(stats.m - all.m) * stats.l / all.l;
      for (std::size_t c = 0; c < all.o.size(); ++c)
        all.o[c] = std::fma(weight, output_of(stream)[c], all.o[c]);
    }
    steps.push_back({StepKind::flat, all});
  }

  void merge_all(const DecodePlan& plan, std::vector<PartialOf<Form>> row) {
    if (plan.merge == MergeOrder::flat && row.size() > 1) merge_flat(row);
    if (plan.merge == MergeOrder::sequential)
      for (std::size_t i = 1; i < row.size(); ++i) {
        fold(row[0], row[i]);
        steps.push_back({StepKind::merge, shown(row[0])});
      }
    if (plan.merge == MergeOrder::tree)
      while (row.size() > 1) {
        std::vector<PartialOf<Form>> next;
        for (std::size_t i = 0; i < row.size(); i += 2) {
          next.push_back(row[i]);
          if (i + 1 == row.size()) break;
          fold(next.back(), row[i + 1]);
          steps.push_back({StepKind::merge, shown(next.back())});
        }
        row = next;
      }
  }
};

/// Holds every step against a run from the start. Backwards on purpose: nothing may depend on having been looked at in
/// order.
inline void check_steps(const Fixture& f, const Trace& trace) {
  const auto compare = [&]<class Form>(Form) {
    const PlainRun<Form> plain(f, trace, trace.plan());
    REQUIRE(static_cast<std::int64_t>(plain.steps.size()) + 1 == trace.steps().num_steps());
    for (std::int64_t k = trace.steps().num_steps() - 1; k >= 1; --k) {
      const StepDetail detail = trace.detail(k);
      CAPTURE(k);
      CHECK(detail.step.kind == plain.steps[static_cast<std::size_t>(k - 1)].kind);
      CHECK(same(detail.result, plain.steps[static_cast<std::size_t>(k - 1)].result));
    }
    CHECK(same(trace.result(), plain.steps.back().result));
  };
  switch (trace.method()) {
    case Method::lse: return compare(Lse<float>{});
    case Method::mlo_unnormalised:
    case Method::online_unnormalised: return compare(MlUnnormalised<float>{});
    default: return compare(MlNormalised<float>{});
  }
}

/// The same for every 37th step, where there are many.
template <class Form>
void check_every_37th_step(const Trace& trace, const PlainRun<Form>& plain) {
  REQUIRE(static_cast<std::int64_t>(plain.steps.size()) + 1 == trace.steps().num_steps());
  int wrong = 0;
  for (std::int64_t k = 1; k < trace.steps().num_steps(); k += 37)
    if (!same(trace.detail(k).result, plain.steps[static_cast<std::size_t>(k - 1)].result)) ++wrong;
  CHECK(wrong == 0);
}

}  // namespace fdlab

// From the partials of a row's streams to its result: the merge order of the plan, then the sink.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/math/flat.h"
#include "core/math/partial.h"
#include "core/plan/merge_tree.h"
#include "cpu/executor.h"

namespace fdlab {

/// What joins a row's keys last: one more logit of value 0 (−∞: none).
struct Sink {
  double logit;
  bool in_lse;
};

/// ⊕ between two nodes at a time, along the merge tree.
template <class Form>
PartialOf<Form> merge_in_pairs(std::vector<PartialOf<Form>> nodes, const MergeRule& merge) {
  const MergeTree tree(merge, static_cast<std::int64_t>(nodes.size()));
  for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
    const auto [a, b] = tree.children(i);
    PartialOf<Form> merged = std::move(nodes[static_cast<std::size_t>(a)]);
    fold(merged, nodes[static_cast<std::size_t>(b)]);
    nodes.push_back(std::move(merged));
  }
  return std::move(nodes[static_cast<std::size_t>(tree.root())]);
}

/// S of the whole row: stream by stream, or all at once.
inline LogSum<double> log_sum_of(const std::vector<double>& S, const FlatMerge<double>& flat,
                                 MergeOrder order) {
  if (order == MergeOrder::flat) return flat.stats();
  LogSum<double> sum = Lse<double>::empty();
  for (const double s : S) sum = Lse<double>::merge(sum, {s}).stats;
  return sum;
}

/// Two-step and flat merge: the weights first, then one weighted sum of the streams' outputs (2.2.2, 2.3.4).
template <class Form>
PartialOf<Lse<double>> merge_at_once(const std::vector<PartialOf<Form>>& streams, MergeOrder order) {
  std::vector<double> S;
  for (const auto& stream : streams) S.push_back(to_log_sum(stream.stats).S);
  const auto flat = FlatMerge<double>::over(S.data(), static_cast<std::int64_t>(S.size()));
  PartialOf<Lse<double>> all{log_sum_of(S, flat, order), std::vector<double>(streams[0].payload.size())};
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const std::vector<double> o = output_of(streams[s]);
    for (std::size_t c = 0; c < o.size(); ++c) all.payload[c] += flat.weight(S[s]) * o[c];
  }
  return all;
}

/// The sink joins last.
template <class Form>
RowResult result_of(PartialOf<Form> all, Sink sink) {
  const double lse_of_keys = to_log_sum(all.stats).S;
  if (!is_minus_infinity(sink.logit))
    fold(all, Form::of(sink.logit), std::vector<double>(all.payload.size()));
  return {output_of(all), sink.in_lse ? to_log_sum(all.stats).S : lse_of_keys};
}

template <class Form>
RowResult merge_streams(std::vector<PartialOf<Form>> streams, const MergeRule& merge, Sink sink) {
  return merges_in_pairs(merge) ? result_of(merge_in_pairs(std::move(streams), merge), sink)
                                : result_of(merge_at_once(streams, merge), sink);
}

/// Streams beyond the last tile stay empty, and empty is ⊕'s neutral element: they need not be made, unless a given tree
/// has them as leaves.
inline std::int64_t streams_in_use(const DecodePlan& plan) {
  if (plan.merge.given()) return plan.num_streams;
  return std::max<std::int64_t>(1, std::min(plan.num_streams, plan.num_tiles()));
}

}  // namespace fdlab

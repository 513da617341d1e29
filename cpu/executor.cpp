#include "cpu/executor.h"

#include <algorithm>

#include "core/math/flat.h"
#include "core/math/online.h"
#include "core/plan/merge_tree.h"
#include "cpu/partial.h"

namespace fdlab {
namespace {

constexpr double kMasked = kMinusInfinity;

std::vector<double> zeros(std::int64_t count) { return std::vector<double>(static_cast<std::size_t>(count)); }

/// What one query row sees: the keys and values of its KV head.
class Row {
 public:
  Row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row)
      : p_(p), b_(b), q_head_(q_head), row_(row), kv_head_(p.kv_head_of(q_head)) {}

  std::int64_t dim() const { return p_.v_head_dim; }
  double score(std::int64_t key) const {
    double dot = 0;
    for (std::int64_t c = 0; c < p_.head_dim; ++c)
      dot += p_.q.at(b_, q_head_, row_, c) * p_.k.at(b_, kv_head_, key, c);
    return p_.scale * dot;
  }
  /// payload += weight · V of one key. The V of a masked key is not read.
  void add_value(std::int64_t key, double score, double weight, std::vector<double>& payload) const {
    if (is_minus_infinity(score)) return;
    for (std::int64_t c = 0; c < dim(); ++c)
      payload[static_cast<std::size_t>(c)] += weight * p_.v.at(b_, kv_head_, key, c);
  }

 private:
  const DecodeProblem& p_;
  std::int64_t b_, q_head_, row_, kv_head_;
};

std::vector<double> scores_of(const Row& row, KeyRange keys) {
  std::vector<double> scores;
  for (std::int64_t key = keys.begin; key < keys.end; ++key) scores.push_back(row.score(key));
  return scores;
}

/// Standard attention: every key a partial of its own, all merged at once (2.1.1).
PartialOf<Lse<double>> whole_row(const Row& row, std::int64_t kv_len) {
  const std::vector<double> scores = scores_of(row, {0, kv_len});
  const auto flat = FlatMerge<double>::over(scores.data(), kv_len);
  PartialOf<Lse<double>> all{flat.stats(), zeros(row.dim())};
  for (std::int64_t key = 0; key < kv_len; ++key) {
    const double score = scores[static_cast<std::size_t>(key)];
    row.add_value(key, score, flat.weight(score), all.payload);
  }
  return all;
}

/// One tile as a block of the online softmax that starts from nothing (3.1.1, stage 1).
template <class Form>
PartialOf<Form> tile_at_once(const Row& row, KeyRange keys) {
  const std::vector<double> scores = scores_of(row, keys);
  double block_max = kMasked;
  for (const double score : scores) block_max = larger(block_max, score);
  const auto block = OnlineBlock<double>::begin(kMasked, block_max);
  PartialOf<MlUnnormalised<double>> tile{{block.m, 0}, zeros(row.dim())};
  for (std::int64_t key = keys.begin; key < keys.end; ++key) {
    const double score = scores[static_cast<std::size_t>(key - keys.begin)];
    tile.stats.l += block.weight(score);
    row.add_value(key, score, block.weight(score), tile.payload);
  }
  return to_form<Form>(std::move(tile));
}

/// One key as a partial: its payload is V.
template <class Form>
PartialOf<Form> single_key(const Row& row, std::int64_t key) {
  const double score = row.score(key);
  PartialOf<Form> one{Form::of(score), zeros(row.dim())};
  row.add_value(key, score, 1, one.payload);
  return one;
}

/// Folds one tile into a stream: as a whole, or key by key.
template <class Form>
void fold_tile(const Row& row, KeyRange keys, bool key_by_key, PartialOf<Form>& stream) {
  if (!key_by_key) {
    fold(stream, tile_at_once<Form>(row, keys));
    return;
  }
  for (std::int64_t key = keys.begin; key < keys.end; ++key) fold(stream, single_key<Form>(row, key));
}

/// Streams beyond the last tile stay empty, and empty is ⊕'s neutral element: they need not be made.
std::int64_t streams_in_use(const DecodePlan& plan) {
  return std::max<std::int64_t>(1, std::min(plan.num_streams, plan.num_tiles()));
}

template <class Form>
std::vector<PartialOf<Form>> fold_streams(const Row& row, const DecodePlan& plan, bool key_by_key) {
  std::vector<PartialOf<Form>> streams;
  for (std::int64_t s = 0; s < streams_in_use(plan); ++s) {
    PartialOf<Form> stream = empty_partial<Form>(row.dim());
    const TileRun run = plan.stream(s);
    for (std::int64_t k = 0; k < run.count; ++k) fold_tile(row, plan.tile(run.tile(k)), key_by_key, stream);
    streams.push_back(std::move(stream));
  }
  return streams;
}

/// Sequential and tree merge: ⊕ between two nodes at a time.
template <class Form>
PartialOf<Form> merge_in_pairs(std::vector<PartialOf<Form>> nodes, MergeOrder order) {
  const MergeTree tree(order, static_cast<std::int64_t>(nodes.size()));
  for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
    const auto [a, b] = tree.children(i);
    nodes.push_back(nodes[static_cast<std::size_t>(a)]);
    fold(nodes.back(), nodes[static_cast<std::size_t>(b)]);
  }
  return std::move(nodes[static_cast<std::size_t>(tree.root())]);
}

/// S of the whole row: stream by stream, or all at once.
LogSum<double> log_sum_of(const std::vector<double>& S, const FlatMerge<double>& flat, MergeOrder order) {
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

struct RowResult {
  std::vector<double> o;
  double lse_ln;
};

template <class Form>
RowResult result_of(const PartialOf<Form>& all) {
  return {output_of(all), to_log_sum(all.stats).S};
}

template <class Form>
RowResult run_streams(const Row& row, const DecodePlan& plan, bool key_by_key) {
  auto streams = fold_streams<Form>(row, plan, key_by_key);
  const bool in_pairs = plan.merge == MergeOrder::sequential || plan.merge == MergeOrder::tree;
  return in_pairs ? result_of(merge_in_pairs(std::move(streams), plan.merge))
                  : result_of(merge_at_once(streams, plan.merge));
}

RowResult run_row(const Row& row, Method method, const DecodePlan& plan) {
  switch (method) {
    case Method::standard: return result_of(whole_row(row, plan.kv_len));
    case Method::online: return run_streams<MlNormalised<double>>(row, plan, true);
    case Method::mlo: return run_streams<MlNormalised<double>>(row, plan, false);
    case Method::mlo_unnormalised: return run_streams<MlUnnormalised<double>>(row, plan, false);
    case Method::lse: return run_streams<Lse<double>>(row, plan, false);
  }
  return {};
}

}  // namespace

DecodePlan plan_for(Method method, DecodePlan plan, std::int64_t kv_len) {
  plan.kv_len = kv_len;
  if (method == Method::standard) {
    plan.tile_size = std::max<std::int64_t>(1, kv_len);
    plan.num_streams = 1;
  }
  return plan;
}

DecodeOutput decode_by_plan(const DecodeProblem& p, Method method, const DecodePlan& plan) {
  DecodeOutput output;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const DecodePlan own = plan_for(method, plan, p.kv_len_of(b));
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.q_len; ++r) {
        const RowResult result = run_row(Row(p, b, h, r), method, own);
        output.o.insert(output.o.end(), result.o.begin(), result.o.end());
        output.lse_ln.push_back(static_cast<float>(result.lse_ln));
      }
  }
  return output;
}

}  // namespace fdlab

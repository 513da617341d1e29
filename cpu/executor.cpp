#include "cpu/executor.h"

#include <algorithm>

#include "core/math/online.h"
#include "cpu/merge_streams.h"
#include "cpu/partial.h"

namespace fdlab {
namespace {

constexpr double kMasked = kMinusInfinity;

std::vector<double> zeros(std::int64_t count) { return std::vector<double>(static_cast<std::size_t>(count)); }

/// What one query row sees: the keys and values of its KV head, and the model's rules for scores.
class Row {
 public:
  Row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row)
      : p_(p),
        b_(b),
        q_head_(q_head),
        row_(row),
        kv_head_(p.kv_head_of(q_head)),
        visible_(p.visible_keys(b, row)) {}

  std::int64_t dim() const { return p_.v_head_dim; }
  /// The keys of a range that are not masked.
  KeyRange visible(KeyRange keys) const {
    const std::int64_t begin = std::max(keys.begin, visible_.begin);
    return {begin, std::max(begin, std::min(keys.end, visible_.end))};
  }
  double score(std::int64_t key) const {
    double dot = 0;
    for (std::int64_t c = 0; c < p_.head_dim; ++c)
      dot += p_.q.at(b_, q_head_, row_, c) * p_.k.at(b_, kv_head_, key, c);
    const auto position = static_cast<double>(p_.query_position(b_, row_));
    return score_of(p_.rules, q_head_, p_.scale * p_.k_scale * dot, static_cast<double>(key) - position);
  }
  /// payload += weight · V of one key. The V of a masked key is not read.
  void add_value(std::int64_t key, double score, double weight, std::vector<double>& payload) const {
    if (is_minus_infinity(score)) return;
    for (std::int64_t c = 0; c < dim(); ++c)
      payload[static_cast<std::size_t>(c)] += weight * p_.v_scale * p_.v.at(b_, kv_head_, key, c);
  }
  Sink sink() const { return {p_.rules.sink_of(q_head_), p_.rules.lse_includes_sink}; }

 private:
  const DecodeProblem& p_;
  std::int64_t b_, q_head_, row_, kv_head_;
  KeyRange visible_;
};

std::vector<double> scores_of(const Row& row, KeyRange keys) {
  std::vector<double> scores;
  for (std::int64_t key = keys.begin; key < keys.end; ++key) scores.push_back(row.score(key));
  return scores;
}

/// Standard attention: every key a partial of its own, all merged at once (2.1.1).
PartialOf<Lse<double>> whole_row(const Row& row, std::int64_t kv_len) {
  const KeyRange keys = row.visible({0, kv_len});
  const std::vector<double> scores = scores_of(row, keys);
  const auto flat = FlatMerge<double>::over(scores.data(), keys.size());
  PartialOf<Lse<double>> all{flat.stats(), zeros(row.dim())};
  for (std::int64_t key = keys.begin; key < keys.end; ++key) {
    const double score = scores[static_cast<std::size_t>(key - keys.begin)];
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

template <class Form>
std::vector<PartialOf<Form>> fold_streams(const Row& row, const DecodePlan& plan, bool key_by_key) {
  std::vector<PartialOf<Form>> streams;
  for (std::int64_t s = 0; s < streams_in_use(plan); ++s) {
    PartialOf<Form> stream = empty_partial<Form>(row.dim());
    const TileRun run = plan.stream(s);
    for (std::int64_t k = 0; k < run.count; ++k)
      fold_tile(row, row.visible(plan.tile(run.tile(k))), key_by_key, stream);
    streams.push_back(std::move(stream));
  }
  return streams;
}

template <class Form>
RowResult run_streams(const Row& row, const DecodePlan& plan, bool key_by_key) {
  return merge_streams(fold_streams<Form>(row, plan, key_by_key), plan.merge, row.sink());
}

RowResult run_row(const Row& row, Method method, const DecodePlan& plan) {
  switch (method) {
    case Method::standard: return result_of(whole_row(row, plan.kv_len), row.sink());
    case Method::online: return run_streams<MlNormalised<double>>(row, plan, true);
    case Method::online_unnormalised: return run_streams<MlUnnormalised<double>>(row, plan, true);
    case Method::mlo: return run_streams<MlNormalised<double>>(row, plan, false);
    case Method::mlo_unnormalised: return run_streams<MlUnnormalised<double>>(row, plan, false);
    case Method::lse: return run_streams<Lse<double>>(row, plan, false);
  }
  return {};
}

}  // namespace

RowResult decode_row_by_plan(const DecodeProblem& p, Method method, const DecodePlan& plan, std::int64_t b,
                             std::int64_t q_head, std::int64_t row) {
  return run_row(Row(p, b, q_head, row), method, plan);
}

DecodeOutput decode_by_plan(const DecodeProblem& p, Method method, const DecodePlan& plan) {
  DecodeOutput output;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const DecodePlan own = plan_for(method, plan, p.kv_len_of(b));
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.q_len; ++r) {
        const RowResult result = decode_row_by_plan(p, method, own, b, h, r);
        output.o.insert(output.o.end(), result.o.begin(), result.o.end());
        output.lse_ln.push_back(static_cast<float>(result.lse_ln));
      }
  }
  return output;
}

}  // namespace fdlab

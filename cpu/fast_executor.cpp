#include "cpu/fast_executor.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cpu/aligned_floats.h"
#include "cpu/merge_streams.h"
#include "cpu/stream_deal.h"

namespace fdlab {
namespace {

/// The query rows that share one KV head: its group of query heads, each with q_len rows.
class KvHead {
 public:
  KvHead(const DecodeProblem& p, std::int64_t b, std::int64_t kv_head) : p_(p), b_(b), kv_head_(kv_head) {
    for (std::int64_t i = 0; i < padded_rows(num_rows()); ++i) {
      const std::int64_t row = i % p.q_len;
      views_.push_back(
          {std::min(q_head_of(i), p.q_heads - 1), p.query_position(b, row), p.visible_keys(b, row)});
      keys_.begin = i == 0 ? views_[0].visible.begin : std::min(keys_.begin, views_.back().visible.begin);
      keys_.end = std::max(keys_.end, views_.back().visible.end);
    }
    load_queries();
  }

  std::int64_t num_rows() const { return p_.q_heads / p_.kv_heads * p_.q_len; }
  std::int64_t num_padded_rows() const { return static_cast<std::int64_t>(views_.size()); }
  std::int64_t q_head_of(std::int64_t i) const {
    return kv_head_ * (p_.q_heads / p_.kv_heads) + i / p_.q_len;
  }
  std::int64_t sequence() const { return b_; }

  StreamTask task(const DecodePlan& plan, std::int64_t stream) const {
    StreamTask task{};
    task.plan = &plan;
    task.stream = stream;
    task.keys = keys_;
    task.k = at_head(p_.k);
    task.v = at_head(p_.v);
    task.rows = views_.data();
    task.q = q_.data();
    return task;
  }

 private:
  const void* at_head(const TensorView& tensor) const {
    return static_cast<const std::byte*>(tensor.data) +
           tensor.offset(b_, kv_head_, 0, 0) * static_cast<std::int64_t>(size_in_bytes(tensor.type));
  }
  void load_queries() {
    q_ = AlignedFloats(num_padded_rows() * padded(p_.head_dim));
    for (std::int64_t i = 0; i < num_rows(); ++i) {
      float* const row = q_.data() + i * padded(p_.head_dim);
      const std::int64_t first = p_.q.offset(b_, q_head_of(i), i % p_.q_len, 0);
      if (p_.q.type == DType::f32 && p_.q.stride[3] == 1)
        std::copy_n(static_cast<const float*>(p_.q.data) + first, p_.head_dim, row);
      else
        for (std::int64_t c = 0; c < p_.head_dim; ++c)
          row[c] = static_cast<float>(load_element(p_.q.data, p_.q.type, first + c * p_.q.stride[3]));
    }
  }

  const DecodeProblem& p_;
  std::int64_t b_, kv_head_;
  KeyRange keys_{};
  std::vector<RowView> views_;
  AlignedFloats q_;  // (padded rows, padded head_dim)
};

/// Where the partials of all streams lie: m, l and O of the rows of each KV head's streams.
class PartialStore {
 public:
  PartialStore(std::int64_t streams, std::int64_t rows, std::int64_t dim)
      : rows_(padded(rows)),
        stream_floats_(2 * rows_ + rows * padded(dim)),
        floats_(streams * stream_floats_) {}

  float* m(std::int64_t stream) { return floats_.data() + stream * stream_floats_; }
  float* l(std::int64_t stream) { return m(stream) + rows_; }
  float* o(std::int64_t stream) { return l(stream) + rows_; }

 private:
  std::int64_t rows_, stream_floats_;
  AlignedFloats floats_;
};

/// Everything that is decided before the first key is read.
struct Work {
  const DecodeProblem& p;
  std::vector<DecodePlan> plans;           // one per sequence
  std::vector<KvHead> heads;               // (batch, kv_heads)
  std::vector<std::int64_t> first_stream;  // of each head, and behind the last one the number of all streams

  Work(const DecodeProblem& problem, const DecodePlan& plan) : p(problem), first_stream{0} {
    for (std::int64_t b = 0; b < p.batch; ++b) {
      plans.push_back(plan);
      plans.back().kv_len = p.kv_len_of(b);
    }
    for (std::int64_t b = 0; b < p.batch; ++b)
      for (std::int64_t h = 0; h < p.kv_heads; ++h) {
        heads.emplace_back(p, b, h);
        first_stream.push_back(first_stream.back() + streams_in_use(plans[static_cast<std::size_t>(b)]));
      }
  }

  std::int64_t num_streams() const { return first_stream.back(); }
  std::int64_t padded_rows_per_head() const { return padded_rows(p.q_heads / p.kv_heads * p.q_len); }
  const DecodePlan& plan_of(std::size_t head) const {
    return plans[static_cast<std::size_t>(heads[head].sequence())];
  }
  /// All streams, head by head.
  std::vector<StreamTask> tasks(PartialStore& store) const {
    std::vector<StreamTask> tasks;
    tasks.reserve(static_cast<std::size_t>(num_streams()));
    for (std::size_t head = 0; head < heads.size(); ++head)
      for (std::int64_t s = first_stream[head]; s < first_stream[head + 1]; ++s) {
        tasks.push_back(heads[head].task(plan_of(head), s - first_stream[head]));
        tasks.back().m = store.m(s);
        tasks.back().l = store.l(s);
        tasks.back().o = store.o(s);
      }
    return tasks;
  }
};

/// Folds all streams; returns how many threads took part.
int fold_all(const Work& work, FoldStreams fold_streams, PartialStore& store) {
  StreamDeal deal(work.tasks(store), omp_get_max_threads());
  const std::int64_t rows = work.padded_rows_per_head();
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    AlignedFloats scratch(scratch_floats(rows, work.p.v_head_dim));
    threads += fold_streams(work.p, rows, deal, omp_get_thread_num(), scratch.data()) ? 1 : 0;
  }
  return threads;
}

/// One row's partials, stream by stream, while they merge: statistics in double, payloads where the kernel left them.
template <class Form>
class RowMerge {
 public:
  RowMerge(const Work& work, PartialStore& store, const Isa& isa, std::size_t head, std::int64_t row)
      : work_(work), isa_(isa), dim_(padded(work.p.v_head_dim)) {
    for (std::int64_t s = work.first_stream[head]; s < work.first_stream[head + 1]; ++s)
      nodes_.push_back(open_node({store.m(s)[row], store.l(s)[row]}, store.o(s) + row * dim_));
  }

  /// ⊕ between two nodes at a time; a's payload becomes the union's.
  PartialOf<Form> in_pairs(const MergeRule& rule) {
    const MergeTree tree(rule, static_cast<std::int64_t>(nodes_.size()));
    for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
      const auto [a, b] = tree.children(i);
      Node node = nodes_[static_cast<std::size_t>(a)];
      const Node& other = nodes_[static_cast<std::size_t>(b)];
      const auto merged = Form::merge(node.stats, other.stats);
      blend({{},
             static_cast<float>(merged.weight_a),
             static_cast<float>(merged.weight_b),
             merged.a_empty,
             merged.b_empty},
            node.payload, other.payload);
      node.stats = merged.stats;
      nodes_.push_back(node);
    }
    return partial(nodes_[static_cast<std::size_t>(tree.root())]);
  }

  std::vector<PartialOf<Form>> all() const {
    std::vector<PartialOf<Form>> partials;
    for (const Node& node : nodes_) partials.push_back(partial(node));
    return partials;
  }

 private:
  struct Node {
    typename Form::Stats stats;
    float* payload;
  };

  /// (m, l, O) in the form: O/l unless the form is unnormalised.
  Node open_node(MaxSum<double> ml, float* payload) const {
    if constexpr (std::is_same_v<Form, MlUnnormalised<double>>) {
      return {ml, payload};
    } else {
      const bool empty = is_minus_infinity(ml.m);
      blend({{}, static_cast<float>(1 / ml.l), 0, empty, true}, payload, payload);
      if constexpr (std::is_same_v<Form, Lse<double>>) return {to_log_sum(ml), payload};
      else return {ml, payload};
    }
  }
  void blend(const Merged<NoStats, float>& merged, float* a, const float* b) const {
    isa_.blend_payloads(merged, a, b, dim_);
  }
  PartialOf<Form> partial(const Node& node) const {
    return {node.stats, std::vector<double>(node.payload, node.payload + work_.p.v_head_dim)};
  }

  const Work& work_;
  const Isa& isa_;
  std::int64_t dim_;
  std::vector<Node> nodes_;
};

template <class Form>
RowResult merge_row(const Work& work, PartialStore& store, const Isa& isa, std::size_t head,
                    std::int64_t row) {
  const ScoreRules& rules = work.p.rules;
  const Sink sink{rules.sink_of(work.heads[head].q_head_of(row)), rules.lse_includes_sink};
  const MergeRule& rule = work.plan_of(head).merge;
  RowMerge<Form> merge(work, store, isa, head, row);
  return merges_in_pairs(rule) ? result_of(merge.in_pairs(rule), sink)
                               : result_of(merge_at_once(merge.all(), rule), sink);
}

RowResult merge_row(const Work& work, PartialStore& store, const Isa& isa, Method method, std::size_t head,
                    std::int64_t row) {
  switch (method) {
    case Method::mlo: return merge_row<MlNormalised<double>>(work, store, isa, head, row);
    case Method::lse: return merge_row<Lse<double>>(work, store, isa, head, row);
    default: return merge_row<MlUnnormalised<double>>(work, store, isa, head, row);
  }
}

/// The vector code multiplies the V of masked keys by 0, and 0 · NaN is NaN. A row that comes out NaN is computed again
/// by the plain executor, which never reads them; if it is NaN there too, it is NaN.
void store_row(const Work& work, Method method, std::size_t head, std::int64_t row, RowResult result,
               DecodeOutput& output) {
  const DecodeProblem& p = work.p;
  const KvHead& kv_head = work.heads[head];
  const std::int64_t q_head = kv_head.q_head_of(row), q_row = row % p.q_len;
  const bool nan = std::any_of(result.o.begin(), result.o.end(), [](double x) { return std::isnan(x); });
  for (double& x : result.o) x *= p.v_scale;
  if (nan || std::isnan(result.lse_ln))
    result = decode_row_by_plan(p, method, work.plan_of(head), kv_head.sequence(), q_head, q_row);
  const std::int64_t index = (kv_head.sequence() * p.q_heads + q_head) * p.q_len + q_row;
  for (std::size_t c = 0; c < result.o.size(); ++c)
    output.o[static_cast<std::size_t>(index * p.v_head_dim) + c] = static_cast<float>(result.o[c]);
  output.lse_ln[static_cast<std::size_t>(index)] = static_cast<float>(result.lse_ln);
}

void merge_all(const Work& work, const Isa& isa, Method method, PartialStore& store, DecodeOutput& output) {
  const DecodeProblem& p = work.p;
  output.o.resize(static_cast<std::size_t>(p.batch * p.q_heads * p.q_len * p.v_head_dim));
  output.lse_ln.resize(static_cast<std::size_t>(p.batch * p.q_heads * p.q_len));
  const std::int64_t rows_per_head = p.q_heads / p.kv_heads * p.q_len;
  const std::int64_t num_rows = static_cast<std::int64_t>(work.heads.size()) * rows_per_head;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < num_rows; ++i) {
    const auto head = static_cast<std::size_t>(i / rows_per_head);
    const std::int64_t row = i % rows_per_head;
    store_row(work, method, head, row, merge_row(work, store, isa, method, head, row), output);
  }
}

}  // namespace

std::optional<std::string> fault_for_fast(const DecodeProblem& p, Method method) {
  if (available_isas().empty()) return "a processor without SSE4.2 has the plain executor only";
  if (goes_key_by_key(method)) return fmt::format("method {} runs in the plain executor", name_of(method));
  if (p.k.type == DType::f64 || p.v.type == DType::f64) return "k and v in f64 run in the plain executor";
  if (p.k.stride[3] != 1 || p.v.stride[3] != 1)
    return "components that are no neighbours run in the plain executor";
  return std::nullopt;
}

FastRun decode_fast(const DecodeProblem& problem, Method method, const DecodePlan& plan, const Isa& isa) {
  const Work work(problem, plan);
  PartialStore store(work.num_streams(), work.padded_rows_per_head(), problem.v_head_dim);
  FastRun run;
  run.threads = fold_all(work, isa.fold_streams, store);
  merge_all(work, isa, method, store, run.output);
  return run;
}

DecodePlan automatic_plan(const DecodeProblem& p) {
  constexpr std::int64_t kStreams = 64, kShortest = 1024;
  const std::int64_t heads = std::max<std::int64_t>(1, p.batch * p.kv_heads);
  const std::int64_t wanted = std::max<std::int64_t>(2, (kStreams + heads - 1) / heads);
  const std::int64_t most = std::max<std::int64_t>(1, p.kv_len / kShortest);
  return {.kv_len = p.kv_len,
          .tile_size = kBlockKeys,
          .num_streams = std::min(wanted, most),
          .deal = Deal::balanced,
          .merge = MergeOrder::sequential};
}

}  // namespace fdlab

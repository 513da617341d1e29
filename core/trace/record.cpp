#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/io/counted.h"
#include "core/trace/trace_reader.h"

namespace fdlab {

/// Carries the plan out once, stream by stream, and fills the trace's tables.
template <class Form>
class Recorder {
 public:
  explicit Recorder(Trace& trace) : trace_(trace), read_(trace) { reserve(); }

  void run() {
    for (std::int64_t s = 0; s < trace_.plan_.num_streams; ++s) stream(s);
    for (std::int64_t i = 0; i < trace_.tree_.num_merges(); ++i) merge(i);
    if (trace_.plan_.merge == MergeOrder::flat && trace_.plan_.num_streams > 1)
      trace_.rescales_.push_back(trace_.steps_.merge_end());
    std::sort(trace_.max_rises_.begin(), trace_.max_rises_.end());
    std::sort(trace_.rescales_.begin(), trace_.rescales_.end());

    const Partial result = trace_.result();
    trace_.result_stats_ = {result.m, result.l};
  }

 private:
  using Scan = typename ScanForm<Form>::Type;

  void reserve() {
    const DecodePlan& plan = trace_.plan_;
    const std::int64_t dim = trace_.v_head_dim(), tiles = plan.num_tiles();
    trace_.in_tile_ = PartialTable(tiles * read_.checkpoints_per_tile(), dim);
    trace_.tiles_ = PartialTable(read_.stores_tiles() ? tiles : 0, dim);
    trace_.folds_ = PartialTable(plan.num_streams * read_.checkpoints_per_stream(), dim);
    trace_.nodes_ = PartialTable(trace_.tree_.num_merges(), dim);
  }

  void stream(std::int64_t s) {
    const TileRun run = trace_.plan_.stream(s);
    PartialOf<Form> running = empty_partial<Form>(trace_.v_head_dim());
    for (std::int64_t k = 0; k < run.count; ++k) {
      join(running, run.tile(k), k == 0);
      const std::int64_t folded = k + 1, interval = read_.fold_interval();
      if (read_.checkpoints_per_stream() > 0 && folded % interval == 0)
        trace_.folds_.put(s * read_.checkpoints_per_stream() + folded / interval - 1,
                          as_max_sum(running.stats), running.payload);
    }
  }

  /// A tile joins its stream: as a whole, or key by key.
  void join(PartialOf<Form>& stream, std::int64_t t, bool opens) {
    if constexpr (std::is_same_v<Scan, Form>)
      if (read_.key_by_key()) {
        scan(t, stream);
        return keep(t, stream);
      }
    PartialOf<Scan> keys = empty_partial<Scan>(trace_.v_head_dim());
    scan(t, keys);
    const PartialOf<Form> tile = finish_tile<Form>(keys);
    keep(t, tile);
    if (opens) stream = tile;
    else fold_tile(trace_.steps_.of_tile_in_stream(t), stream, tile);
  }

  void fold_tile(std::int64_t number, PartialOf<Form>& stream, const PartialOf<Form>& tile) {
    note_rescale(number, stream, tile);
    fold(stream, tile);
    note_not_finite(number, stream);
  }

  /// The keys of a tile join `running` one by one.
  void scan(std::int64_t t, PartialOf<Scan>& running) {
    const KeyRange keys = trace_.plan_.tile(t);
    for (std::int64_t key = keys.begin; key < keys.end; ++key) {
      const std::int64_t number = trace_.steps_.of_key(keys.begin) + (key - keys.begin);
      if (!running.empty() && trace_.score(key) > running.stats.m) {
        trace_.max_rises_.push_back(number);
        trace_.rescales_.push_back(number);
      }
      fold(running, Scan::of(trace_.score(key)), read_.value(key));
      note_not_finite(number, running);
      const std::int64_t scanned = key - keys.begin + 1;
      if (scanned % Trace::kRecomputedKeys == 0 &&
          scanned / Trace::kRecomputedKeys <= read_.checkpoints_per_tile())
        trace_.in_tile_.put(t * read_.checkpoints_per_tile() + scanned / Trace::kRecomputedKeys - 1,
                            running.stats, running.payload);
    }
  }

  void keep(std::int64_t t, const PartialOf<Form>& done) {
    if (read_.stores_tiles()) trace_.tiles_.put(t, as_max_sum(done.stats), done.payload);
    note_size(done);
  }

  void note_size(const PartialOf<Form>& done) {
    if (done.empty()) return;
    for (const float x : done.payload) {
      const float size = std::abs(Form::output(done.stats, x));
      if (std::isfinite(size)) trace_.max_abs_o_ = std::max(trace_.max_abs_o_, size);
    }
  }

  void merge(std::int64_t i) {
    const auto [a, b] = trace_.tree_.children(i);
    PartialOf<Form> running = read_.node(a);
    const PartialOf<Form> other = read_.node(b);
    note_rescale(trace_.steps_.of_merge(i), running, other);
    fold(running, other);
    note_not_finite(trace_.steps_.of_merge(i), running);
    trace_.nodes_.put(i, as_max_sum(running.stats), running.payload);
  }

  /// Either side of a merge is rescaled unless one is empty or both have the same maximum.
  void note_rescale(std::int64_t number, const PartialOf<Form>& a, const PartialOf<Form>& b) {
    if (a.empty() || b.empty()) return;
    const float m_a = as_max_sum(a.stats).m, m_b = as_max_sum(b.stats).m;
    if (m_a != m_b) trace_.rescales_.push_back(number);
    if (m_b > m_a) trace_.max_rises_.push_back(number);
  }

  template <class AnyForm>
  void note_not_finite(std::int64_t number, const PartialOf<AnyForm>& running) {
    const MaxSum<float> stats = as_max_sum(running.stats);
    const auto bad = [](float x) { return !std::isfinite(x); };
    if ((running.empty() || (!bad(stats.m) && !bad(stats.l))) &&
        std::none_of(running.payload.begin(), running.payload.end(), bad))
      return;
    if (trace_.first_not_finite_ == 0 || number < trace_.first_not_finite_) trace_.first_not_finite_ = number;
  }

  Trace& trace_;
  TraceReader<Form> read_;
};

Trace::Trace(const DecodeProblem& problem, const DecodePlan& plan, Method method, TracedRow row)
    : problem_(problem),
      plan_(plan),
      method_(method),
      row_(row),
      kv_head_(problem.kv_head_of(row.q_head)),
      steps_(plan, method),
      tree_(plan.merge, plan.num_streams) {
  score_keys();
  key_blocks_ = KeyBlocks(scores_);
}

void Trace::score_keys() {
  std::vector<float> q(static_cast<std::size_t>(problem_.head_dim));
  for (std::int64_t c = 0; c < problem_.head_dim; ++c)
    q[static_cast<std::size_t>(c)] =
        static_cast<float>(problem_.q.at(row_.sequence, row_.q_head, row_.row, c));
  const auto scale = static_cast<float>(problem_.scale * problem_.k_scale);
  const std::int64_t position = problem_.query_position(row_.sequence, row_.row);
  const KeyRange visible = problem_.visible_keys(row_.sequence, row_.row);
  scores_.assign(static_cast<std::size_t>(plan_.kv_len), kMinusInfinity);
  for (std::int64_t key = visible.begin; key < visible.end; ++key) {
    float dot = 0;
    for (std::int64_t c = 0; c < problem_.head_dim; ++c)
      dot = fused_multiply_add(q[static_cast<std::size_t>(c)],
                               static_cast<float>(problem_.k.at(row_.sequence, kv_head_, key, c)), dot);
    scores_[static_cast<std::size_t>(key)] = static_cast<float>(
        score_of(problem_.rules, row_.q_head, scale * dot, static_cast<double>(key - position)));
  }
  const auto seen = std::span(scores_).subspan(static_cast<std::size_t>(visible.begin),
                                               static_cast<std::size_t>(visible.size()));
  if (seen.empty()) return;
  const auto [low, high] = std::minmax_element(seen.begin(), seen.end());
  min_score_ = *low;
  max_score_ = *high;
}

std::optional<std::string> find_fault(const DecodeProblem& problem, const DecodePlan& plan, Method method,
                                      TracedRow row) {
  if (auto fault = find_fault(problem)) return fault;
  if (auto fault = find_fault(plan)) return fault;
  const auto outside = [](std::int64_t i, std::int64_t n) { return i < 0 || i >= n; };
  if (outside(row.sequence, problem.batch) || outside(row.q_head, problem.q_heads) ||
      outside(row.row, problem.q_len))
    return fmt::format("expected a row within {}, {} and {}, found sequence {}, head {}, row {}",
                       counted(problem.batch, "sequence"), counted(problem.q_heads, "query head"),
                       counted(problem.q_len, "query row"), row.sequence, row.q_head, row.row);
  if (plan.kv_len != problem.kv_len_of(row.sequence))
    return fmt::format("expected a plan for {}, found one for {}",
                       counted(problem.kv_len_of(row.sequence), "key"), plan.kv_len);
  if (method == Method::standard &&
      (plan.tile_size != 1 || plan.num_streams != std::max<std::int64_t>(1, plan.kv_len) ||
       plan.merge != MergeOrder::flat))
    return fmt::format(
        "expected a stream for every key and a flat merge with the method standard, found tiles of {}, {} "
        "and {}",
        plan.tile_size, plan.num_streams, name_of(plan.merge));
  if (!problem.rules.sinks.empty()) return "expected a problem without sinks for a trace, found sinks";

  // Scores, stored tiles, folds and merges: an upper bound of what the trace keeps.
  const double partials =
      (plan.tile_size >= Trace::kStoredTileKeys ? static_cast<double>(plan.num_tiles()) : 0) +
      static_cast<double>(plan.kv_len) / Trace::kStoredTileKeys +
      static_cast<double>(MergeTree(plan.merge, plan.num_streams).num_merges());
  const double bytes =
      4.0 * (static_cast<double>(plan.kv_len) + partials * static_cast<double>(problem.v_head_dim + 2));
  if (bytes > static_cast<double>(Trace::kMaxBytes))
    return fmt::format(
        "expected a trace of at most {} MB, found about {:.0f} MB: use larger tiles or fewer streams",
        Trace::kMaxBytes / 1'000'000, bytes / 1e6);
  return std::nullopt;
}

Trace record(const DecodeProblem& problem, const DecodePlan& plan, Method method, TracedRow row) {
  Trace trace(problem, plan, method, row);
  with_form(method, [&]<class Form>(Form) { Recorder<Form>(trace).run(); });
  return trace;
}

}  // namespace fdlab

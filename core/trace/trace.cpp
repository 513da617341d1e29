#include "core/trace/trace.h"

#include <algorithm>
#include <cmath>

#include "core/trace/trace_reader.h"

namespace fdlab {
namespace {

/// m, l and S of a log-sum beside an output, as shown in the flat and two-step orders.
Partial shown(MaxSum<float> stats, bool has_ml, std::vector<float> o) {
  Partial partial;
  partial.empty = is_minus_infinity(stats.m);
  partial.has_ml = has_ml;
  partial.m = stats.m;
  partial.l = stats.l;
  partial.S_ln = to_log_sum(stats).S;
  partial.o = std::move(o);
  return partial;
}

/// Fills in what ⊕ of a and b said.
template <class Form>
void describe_merge(StepDetail& detail, PartialOf<Form> a, const PartialOf<Form>& b) {
  detail.a = shown(a);
  detail.b = shown(b);
  const MaxSum<float> stats_a = as_max_sum(a.stats), stats_b = as_max_sum(b.stats);
  const float m = larger(stats_a.m, stats_b.m);
  detail.factor_a = exp_below<BaseE>(stats_a.m, m);
  detail.factor_b = exp_below<BaseE>(stats_b.m, m);

  const auto merged = fold(a, b);
  detail.weight_a = merged.weight_a;
  detail.weight_b = merged.weight_b;
  if constexpr (std::is_same_v<Form,
                               MlUnnormalised<float>>) {  // ⊕ weighs O = l·o here; people ask for shares of o
    detail.weight_a = merged.a_empty ? 0 : merged.weight_a * stats_a.l / merged.stats.l;
    detail.weight_b = merged.b_empty ? 0 : merged.weight_b * stats_b.l / merged.stats.l;
  }
  detail.result = shown(a);
}

template <class Form>
class Describer {
 public:
  explicit Describer(const Trace& trace) : trace_(trace), read_(trace) {}

  StepDetail operator()(const Step& step) {
    detail_.step = step;
    switch (step.kind) {
      case StepKind::start: break;
      case StepKind::key: key(); break;
      case StepKind::tile_done: tile_done(); break;
      case StepKind::fold: fold(); break;
      case StepKind::merge: merge(); break;
      case StepKind::log_sum: log_sum(); break;
      case StepKind::weigh: weigh(); break;
      case StepKind::flat:
      case StepKind::check: detail_.result = trace_.result(); break;
    }
    return std::move(detail_);
  }

 private:
  using Scan = typename ScanForm<Form>::Type;

  void key() {
    const Step& step = detail_.step;
    const auto before = read_.tile_scan(step.tile, step.key - trace_.plan().tile(step.tile).begin);
    PartialOf<Scan> alone = empty_partial<Scan>(trace_.v_head_dim());
    fdlab::fold(alone, Scan::of(trace_.score(step.key)), read_.value(step.key));
    describe_merge<Scan>(detail_, before, alone);
  }
  void tile_done() {
    const Step& step = detail_.step;
    detail_.a = shown(read_.tile_scan(step.tile, trace_.plan().tile(step.tile).size()));
    detail_.result = shown(read_.tile(step.tile));
    detail_.weight_a = detail_.factor_a = detail_.a.empty ? 0.0f : 1.0f;
  }
  void fold() {
    const Step& step = detail_.step;
    const std::int64_t place = trace_.plan().place_in_stream(step.tile);
    describe_merge<Form>(detail_, read_.stream_after(step.stream, place), read_.tile(step.tile));
  }
  void merge() {
    const auto [a, b] = trace_.tree().children(detail_.step.merge);
    describe_merge<Form>(detail_, read_.node(a), read_.node(b));
  }
  void log_sum() {
    const LogSum<float> a = read_.log_sum_of(detail_.step.stream);
    const LogSum<float> b = to_log_sum(read_.stream(detail_.step.stream).stats);
    const auto merged = Lse<float>::merge(a, b);
    detail_.a = shown(to_max_sum(a), false, {});
    detail_.b = shown(to_max_sum(b), false, {});
    detail_.result = shown(to_max_sum(merged.stats), false, {});
    detail_.weight_a = merged.weight_a;
    detail_.weight_b = merged.weight_b;
    detail_.factor_a = exp_below<BaseE>(a.S, larger(a.S, b.S));
    detail_.factor_b = exp_below<BaseE>(b.S, larger(a.S, b.S));
  }
  void weigh() {
    const std::int64_t s = detail_.step.stream;
    const FlatMaxSum<float> flat = read_.flat();
    const MaxSum<float> stats = flat.stats();
    const auto stream = read_.stream(s);
    detail_.a = shown(stats, false, read_.weighted_sum(flat, s));
    detail_.b = shown(stream);
    detail_.weight_a = 1;
    detail_.weight_b = flat.share(as_max_sum(stream.stats));
    detail_.factor_a = 1;
    detail_.factor_b = exp_below<BaseE>(as_max_sum(stream.stats).m, flat.m);
    detail_.result = shown(stats, false, read_.weighted_sum(flat, s + 1));
  }

  const Trace& trace_;
  TraceReader<Form> read_;
  StepDetail detail_;
};

/// Index in a sorted list of the neighbour of `from` in the given direction, or the list's size.
std::int64_t neighbour(const std::vector<std::int64_t>& sorted, std::int64_t from, bool backwards) {
  if (backwards) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), from);
    return at == sorted.begin() ? 0 : *(at - 1);
  }
  const auto at = std::upper_bound(sorted.begin(), sorted.end(), from);
  return at == sorted.end() ? 0 : *at;
}

}  // namespace

std::int64_t Trace::bytes() const {
  const auto of = [](const auto& v) { return static_cast<std::int64_t>(v.size() * sizeof v[0]); };
  return of(scores_) + key_blocks_.bytes() + in_tile_.bytes() + tiles_.bytes() + folds_.bytes() +
         nodes_.bytes() + of(max_rises_) + of(rescales_);
}

float Trace::weight(std::int64_t key) const {
  return select(is_minus_infinity(result_stats_.m), 0.0f,
                exp_below<BaseE>(score(key), result_stats_.m) / result_stats_.l);
}

float Trace::max_weight() const {
  return select(is_minus_infinity(result_stats_.m), 0.0f,
                exp_below<BaseE>(max_score_, result_stats_.m) / result_stats_.l);
}

float Trace::share(KeyRange keys) const {
  return FlatMaxSum<float>{result_stats_.m, result_stats_.l}.share(stats(keys));
}

float Trace::tile_share(std::int64_t t) const {
  if (goes_key_by_key(method_)) return share(plan_.tile(t));
  const FlatMaxSum<float> row{result_stats_.m, result_stats_.l};
  return with_form(method_, [&]<class Form>(Form) {
    return row.share(as_max_sum(TraceReader<Form>(*this).tile(t).stats));
  });
}

float Trace::stream_share(std::int64_t s) const {
  const FlatMaxSum<float> row{result_stats_.m, result_stats_.l};
  return with_form(method_, [&]<class Form>(Form) {
    return row.share(as_max_sum(TraceReader<Form>(*this).stream(s).stats));
  });
}

Partial Trace::key_alone(std::int64_t key) const {
  return with_form(method_, [&]<class Form>(Form) {
    using Scan = typename ScanForm<Form>::Type;
    PartialOf<Scan> alone = empty_partial<Scan>(v_head_dim());
    fold(alone, Scan::of(score(key)), TraceReader<Form>(*this).value(key));
    return shown(alone);
  });
}

Partial Trace::tile_after(std::int64_t t, std::int64_t keys) const {
  return with_form(method_,
                   [&]<class Form>(Form) { return shown(TraceReader<Form>(*this).tile_scan(t, keys)); });
}

Partial Trace::tile(std::int64_t t) const {
  return with_form(method_, [&]<class Form>(Form) { return shown(TraceReader<Form>(*this).tile(t)); });
}

Partial Trace::stream_after(std::int64_t s, std::int64_t tiles) const {
  return with_form(method_,
                   [&]<class Form>(Form) { return shown(TraceReader<Form>(*this).stream_after(s, tiles)); });
}

Partial Trace::stream(std::int64_t s) const { return stream_after(s, plan_.stream(s).count); }

Partial Trace::node(std::int64_t id) const {
  return with_form(method_, [&]<class Form>(Form) { return shown(TraceReader<Form>(*this).node(id)); });
}

Partial Trace::result() const {
  if (merges_in_pairs(plan_.merge) || plan_.num_streams == 1) return node(tree_.root());
  return with_form(method_, [&]<class Form>(Form) {
    TraceReader<Form> read(*this);
    const FlatMaxSum<float> flat = read.flat();
    const bool has_ml = method_ != Method::lse && plan_.merge == MergeOrder::flat;
    return shown(flat.stats(), has_ml, read.weighted_sum(flat, plan_.num_streams));
  });
}

StepDetail Trace::detail(std::int64_t number) const {
  return with_form(method_, [&]<class Form>(Form) { return Describer<Form>(*this)(steps_.at(number)); });
}

std::int64_t Trace::next_event(Event event, std::int64_t from, bool backwards) const {
  switch (event) {
    case Event::max_rises: return neighbour(max_rises_, from, backwards);
    case Event::rescales: return neighbour(rescales_, from, backwards);
    case Event::not_finite: {
      const bool ahead = backwards ? first_not_finite_ < from : first_not_finite_ > from;
      return ahead ? first_not_finite_ : 0;
    }
    case Event::merges: break;
  }
  const std::int64_t direction = backwards ? -1 : 1;
  for (std::int64_t number = from + direction; number > 0 && number < steps_.of_check();
       number += direction) {
    const Step step = steps_.at(number);
    if (step.kind != StepKind::key && step.kind != StepKind::tile_done) return number;
    // Inside a tile nothing merges: go on at its last step, or at the last step of the tile before.
    const std::int64_t edge =
        backwards ? steps_.of_key(plan_.tile(step.tile).begin) : steps_.of_tile_done(step.tile);
    number = edge;
  }
  return 0;
}

std::optional<CheckSummary> Trace::check() const {
  if (!reference_) return std::nullopt;
  const Partial found = result();
  CheckSummary summary;
  for (std::size_t c = 0; c < found.o.size(); ++c) {
    const double error = std::abs(static_cast<double>(found.o[c]) - reference_->o[c]);
    summary.abs_errors.push_back(error);
    if (std::isnan(summary.max_abs_error) || !(error > summary.max_abs_error || std::isnan(error))) continue;
    summary.max_abs_error = error;
    summary.worst = static_cast<std::int64_t>(c);
  }
  const double lse = found.S_ln;
  summary.lse_abs_error = lse == reference_->lse_ln ? 0.0 : std::abs(lse - reference_->lse_ln);
  return summary;
}

}  // namespace fdlab

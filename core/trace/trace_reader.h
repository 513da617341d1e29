// How a trace computes what it did not keep. One class template serves the recording and every later look, so
// that both give the same bits.
#pragma once

#include <type_traits>

#include "core/math/flat.h"
#include "core/trace/scan.h"
#include "core/trace/trace.h"

namespace fdlab {

template <class Form>
class TraceReader {
 public:
  using Scan = typename ScanForm<Form>::Type;

  explicit TraceReader(const Trace& trace)
      : trace_(trace), value_(static_cast<std::size_t>(trace.v_head_dim())) {}

  /// Row of V for one key, scaled; valid until the next call.
  std::span<const float> value(std::int64_t key) {
    const DecodeProblem& p = trace_.problem_;
    for (std::int64_t c = 0; c < p.v_head_dim; ++c)
      value_[static_cast<std::size_t>(c)] =
          static_cast<float>(p.v_scale * p.v.at(trace_.row_.sequence, trace_.kv_head_, key, c));
    return value_;
  }

  void scan(PartialOf<Scan>& running, KeyRange keys) {
    for (std::int64_t key = keys.begin; key < keys.end; ++key)
      fold(running, Scan::of(trace_.score(key)), value(key));
  }

  PartialOf<Scan> tile_scan(std::int64_t t, std::int64_t keys) {
    const std::int64_t begin = trace_.plan_.tile(t).begin, checkpoint = keys / Trace::kRecomputedKeys;
    if (checkpoint == 0 || checkpoint > checkpoints_per_tile()) {
      PartialOf<Scan> running = opened(t);
      scan(running, {begin, begin + keys});
      return running;
    }
    auto running = stored<Scan>(trace_.in_tile_, t * checkpoints_per_tile() + checkpoint - 1);
    scan(running, {begin + checkpoint * Trace::kRecomputedKeys, begin + keys});
    return running;
  }
  /// What the first key of a tile joins: nothing or, key by key, the stream so far.
  PartialOf<Scan> opened(std::int64_t t) {
    if constexpr (std::is_same_v<Scan, Form>)
      if (key_by_key()) return stream_after(trace_.plan_.stream_of(t), trace_.plan_.place_in_stream(t));
    return empty_partial<Scan>(trace_.v_head_dim());
  }

  PartialOf<Form> tile(std::int64_t t) {
    if (stores_tiles()) return stored<Form>(trace_.tiles_, t);
    return finish_tile<Form>(tile_scan(t, trace_.plan_.tile(t).size()));
  }

  PartialOf<Form> stream_after(std::int64_t s, std::int64_t tiles) {
    const TileRun run = trace_.plan_.stream(s);
    const std::int64_t checkpoint = tiles / fold_interval();
    PartialOf<Form> running = empty_partial<Form>(trace_.v_head_dim());
    std::int64_t from = 0;
    if (tiles > 1 && checkpoint > 0) {
      const std::int64_t row = s * checkpoints_per_stream() + checkpoint - 1;
      running = stored<Form>(trace_.folds_, row);
      from = checkpoint * fold_interval();
    }
    for (std::int64_t k = from; k < tiles; ++k) join(running, run.tile(k));
    return running;
  }
  /// A tile joins its stream: as a whole, or key by key.
  void join(PartialOf<Form>& stream, std::int64_t t) {
    if constexpr (std::is_same_v<Scan, Form>)
      if (key_by_key()) {
        if (stores_tiles()) stream = tile(t);
        else scan(stream, trace_.plan_.tile(t));
        return;
      }
    fold(stream, tile(t));
  }
  PartialOf<Form> stream(std::int64_t s) { return stream_after(s, trace_.plan_.stream(s).count); }

  PartialOf<Form> node(std::int64_t id) {
    if (id < trace_.tree_.leaves()) return stream(id);
    const std::int64_t row = id - trace_.tree_.leaves();
    return stored<Form>(trace_.nodes_, row);
  }

  /// All streams at once, for the flat and two-step orders.
  FlatMaxSum<float> flat() {
    std::vector<MaxSum<float>> stats;
    for (std::int64_t s = 0; s < trace_.plan_.num_streams; ++s) stats.push_back(as_max_sum(stream(s).stats));
    return FlatMaxSum<float>::over(stats.data(), trace_.plan_.num_streams);
  }

  /// Σ over the first `streams` streams of weight · o.
  std::vector<float> weighted_sum(const FlatMaxSum<float>& flat, std::int64_t streams) {
    std::vector<float> o(static_cast<std::size_t>(trace_.v_head_dim()), 0.0f);
    for (std::int64_t s = 0; s < streams; ++s) {
      const PartialOf<Form> running = stream(s);
      if (running.empty()) continue;
      const float weight = flat.share(as_max_sum(running.stats));
      for (std::size_t c = 0; c < o.size(); ++c)
        o[c] = fused_multiply_add(weight, Form::output(running.stats, running.payload[c]), o[c]);
    }
    return o;
  }

  /// ln Σ exp over the first `streams` streams, one after another (two-step, first step).
  LogSum<float> log_sum_of(std::int64_t streams) {
    LogSum<float> S = Lse<float>::empty();
    for (std::int64_t s = 0; s < streams; ++s) S = Lse<float>::merge(S, to_log_sum(stream(s).stats)).stats;
    return S;
  }

  bool key_by_key() const { return goes_key_by_key(trace_.method_); }
  bool stores_tiles() const { return trace_.plan_.tile_size >= Trace::kStoredTileKeys; }
  std::int64_t checkpoints_per_tile() const {
    return std::max<std::int64_t>(0, std::min(trace_.plan_.tile_size, trace_.plan_.kv_len) - 1) /
           Trace::kRecomputedKeys;
  }
  /// Tiles folded between two checkpoints of a stream.
  std::int64_t fold_interval() const {
    return (Trace::kStoredTileKeys + trace_.plan_.tile_size - 1) / trace_.plan_.tile_size;
  }
  std::int64_t checkpoints_per_stream() const {
    const std::int64_t longest = trace_.plan_.stream(0).count;
    return longest > 1 ? longest / fold_interval() : 0;
  }

 private:
  const Trace& trace_;
  std::vector<float> value_;
};

/// Calls f with the form a method keeps its partials in.
template <class F>
auto with_form(Method method, F&& f) {
  switch (method) {
    case Method::lse: return f(Lse<float>{});
    case Method::online_unnormalised:
    case Method::mlo_unnormalised: return f(MlUnnormalised<float>{});
    default: return f(MlNormalised<float>{});
  }
}

}  // namespace fdlab

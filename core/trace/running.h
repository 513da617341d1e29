// A partial under way: statistics of a form and the payload vector, folded with ⊕ one partial at a time.
#pragma once

#include <span>
#include <vector>

#include "core/math/merge.h"
#include "core/trace/partial.h"

namespace fdlab {

/// The form in which keys are scanned inside a tile. The log-sum method counts m and l there too and forms
/// S = m + ln l when the tile is done (3.2.1, 1c).
template <class Form>
struct ScanForm {
  using Type = Form;
};
template <>
struct ScanForm<Lse<float>> {
  using Type = MlNormalised<float>;
};

/// Statistics as a (m, l) pair whatever the form: (S, 1) for a log-sum.
inline MaxSum<float> as_max_sum(MaxSum<float> a) { return a; }
inline MaxSum<float> as_max_sum(LogSum<float> a) { return to_max_sum(a); }

template <class Form>
class Running {
 public:
  using Stats = typename Form::Stats;

  explicit Running(std::int64_t dim) : payload_(static_cast<std::size_t>(dim), 0.0f) {}
  Running(MaxSum<float> stats, std::span<const float> payload) : payload_(payload.begin(), payload.end()) {
    if constexpr (std::is_same_v<Stats, LogSum<float>>) stats_ = {stats.m};
    else stats_ = stats;
  }

  Stats stats() const { return stats_; }
  std::span<const float> payload() const { return payload_; }
  bool empty() const { return Form::is_empty(stats_); }

  /// this ⊕ (stats, payload); returns what ⊕ said.
  Merged<Stats, float> fold(Stats stats, std::span<const float> payload) {
    const auto merged = Form::merge(stats_, stats);
    for (std::size_t c = 0; c < payload_.size(); ++c) payload_[c] = merged.blend(payload_[c], payload[c]);
    stats_ = merged.stats;
    return merged;
  }
  Merged<Stats, float> fold(const Running& other) { return fold(other.stats_, other.payload_); }

  Partial shown() const {
    Partial partial;
    partial.empty = empty();
    partial.has_ml = std::is_same_v<Stats, MaxSum<float>>;
    const MaxSum<float> ml = as_max_sum(stats_);
    partial.m = ml.m;
    partial.l = ml.l;
    partial.S_ln = to_log_sum(stats_).S;
    for (const float x : payload_) partial.o.push_back(partial.empty ? 0.0f : Form::output(stats_, x));
    if constexpr (std::is_same_v<Form, MlUnnormalised<float>>) partial.O = payload_;
    return partial;
  }

 private:
  Stats stats_ = Form::empty();
  std::vector<float> payload_;
};

/// What a finished tile keeps of its scan.
template <class Form>
Running<Form> finish_tile(const Running<typename ScanForm<Form>::Type>& scan) {
  if constexpr (std::is_same_v<Form, Lse<float>>)
    return Running<Form>(to_max_sum(to_log_sum(scan.stats())), scan.payload());
  else return scan;
}

}  // namespace fdlab

// One traced decode: a plan carried out on one query row, in float, and everything a person may want to see
// of it. Every method takes its own steps (core/trace/step.h). A trace is immutable. Any step is reached at once, forwards or backwards: scores, finished partials
// and a few checkpoints are kept, and what lies between (at most kRecomputedKeys keys) is computed again by
// the same code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/merge_tree.h"
#include "core/plan/method.h"
#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/trace/key_blocks.h"
#include "core/trace/partial.h"
#include "core/trace/partial_table.h"
#include "core/trace/step.h"

namespace fdlab {

/// The query row that is traced.
struct TracedRow {
  std::int64_t sequence = 0, q_head = 0, row = 0;
};

/// What the check step compares with, from outside: an oracle's output and log-sum-exp of the same row.
struct Reference {
  std::vector<double> o;
  double lse_ln = 0;
};

/// The operation of one step: a and b meet and give result = weight_a·a + weight_b·b.
/// key: a is the running partial of the tile or stream, b the key alone. tile_done: a becomes result. fold: a is the stream,
/// b the tile. merge: the two nodes. log_sum: S so far and the next stream's. weigh: the sum so far and the
/// next stream. flat, check: result only.
struct StepDetail {
  Step step;
  Partial a, b, result;
  float weight_a = 0, weight_b = 0;  ///< share of each payload in the result's o
  float factor_a = 0, factor_b = 0;  ///< exp(m_a − m), exp(m_b − m): what each side's l is multiplied by
};

/// Difference between the traced result and the reference.
struct CheckSummary {
  std::vector<double> abs_errors;  ///< one a component of o
  double max_abs_error = 0;        ///< over the components of o; NaN if a component is NaN on one side only
  std::int64_t worst = 0;          ///< component with the largest error
  double lse_abs_error = 0;
};

enum class Event : std::uint8_t {
  max_rises,   ///< the running maximum of keys already seen grows
  rescales,    ///< something already summed is multiplied by a factor other than 1
  merges,      ///< a fold, merge, log_sum, weigh or flat step
  not_finite,  ///< the first step whose result holds NaN or +∞
};

class Trace {
 public:
  static constexpr std::int64_t kRecomputedKeys = 4096;   ///< longest stretch inside a tile computed again
  static constexpr std::int64_t kStoredTileKeys = 64;     ///< partials of smaller tiles are computed again
  static constexpr std::int64_t kMaxBytes = 100'000'000;  ///< limit of one trace

  const DecodePlan& plan() const { return plan_; }
  Method method() const { return method_; }
  TracedRow row() const { return row_; }
  std::int64_t kv_head() const { return kv_head_; }
  std::int64_t v_head_dim() const { return problem_.v_head_dim; }
  const StepIndex& steps() const { return steps_; }
  const MergeTree& tree() const { return tree_; }
  std::int64_t bytes() const;

  /// Score of key j by the problem's rules, natural units; −∞ where the row does not see it.
  float score(std::int64_t key) const { return scores_[static_cast<std::size_t>(key)]; }
  float min_score() const { return min_score_; }
  float max_score() const { return max_score_; }
  /// Share of key j in the whole row: exp(s_j − S). 0 when the row is empty.
  float weight(std::int64_t key) const;
  /// The largest of them.
  float max_weight() const;
  /// (m, l) of any run of keys, and their share in the whole row. Costs far less than one look at each key.
  MaxSum<float> stats(KeyRange keys) const { return key_blocks_.of(scores_, keys); }
  float share(KeyRange keys) const;
  /// Share of a tile, or of a stream, in the whole row: exp(S_tile − S).
  float tile_share(std::int64_t tile) const;
  float stream_share(std::int64_t stream) const;
  /// Largest |o| of a component over all finished tiles; no merged o is larger.
  float max_abs_o() const { return max_abs_o_; }

  Partial key_alone(std::int64_t key) const;
  // Where the method goes key by key, a tile's partial is its stream's at that place.
  Partial tile_after(std::int64_t tile, std::int64_t keys) const;       ///< after its first `keys` keys
  Partial tile(std::int64_t tile) const;                                ///< finished
  Partial stream_after(std::int64_t stream, std::int64_t tiles) const;  ///< after its first `tiles` tiles
  Partial stream(std::int64_t stream) const;                            ///< after all its tiles
  Partial node(std::int64_t node) const;  ///< of the merge tree; leaves are the streams
  Partial result() const;

  /// number from 0 to steps().num_steps().
  StepDetail detail(std::int64_t number) const;

  /// Number of the next (or, backwards, previous) step with the event; 0 if there is none.
  std::int64_t next_event(Event event, std::int64_t from, bool backwards = false) const;
  /// Steps in which the running maximum rises, in order (for marks on a track).
  const std::vector<std::int64_t>& max_rises() const { return max_rises_; }
  /// The first step whose result holds NaN or +∞; 0 if none does.
  std::int64_t first_not_finite() const { return first_not_finite_; }

  void set_reference(Reference reference) { reference_ = std::move(reference); }
  const std::optional<Reference>& reference() const { return reference_; }
  std::optional<CheckSummary> check() const;

 private:
  friend Trace record(const DecodeProblem&, const DecodePlan&, Method, TracedRow);
  template <class Form>
  friend class TraceReader;
  template <class Form>
  friend class Recorder;

  Trace(const DecodeProblem& problem, const DecodePlan& plan, Method method, TracedRow row);
  void score_keys();

  DecodeProblem problem_;
  DecodePlan plan_;
  Method method_;
  TracedRow row_;
  std::int64_t kv_head_;
  StepIndex steps_;
  MergeTree tree_;

  std::vector<float> scores_;
  KeyBlocks key_blocks_;
  float min_score_ = 0, max_score_ = 0, max_abs_o_ = 0;
  MaxSum<float> result_stats_{kMinusInfinity, 0};
  PartialTable in_tile_;  // every kRecomputedKeys keys inside longer tiles
  PartialTable tiles_;    // finished tiles of kStoredTileKeys keys or more
  PartialTable folds_;    // streams, every fold_interval() tiles
  PartialTable nodes_;    // merges
  std::vector<std::int64_t> max_rises_, rescales_;
  std::int64_t first_not_finite_ = 0;
  std::optional<Reference> reference_;
};

/// One sentence saying why this run cannot be traced, or nothing. The plan must be the one of plan_for
/// (core/plan/plan_for.h) for the sequence; sinks are not traced.
std::optional<std::string> find_fault(const DecodeProblem& problem, const DecodePlan& plan, Method method,
                                      TracedRow row);

/// Carries the plan out and keeps the trace. Precondition: find_fault gives nothing. The problem's tensors
/// must outlive the trace.
Trace record(const DecodeProblem& problem, const DecodePlan& plan, Method method, TracedRow row);

}  // namespace fdlab

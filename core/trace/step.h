// The steps of a traced run, as a formula of the plan: which step number is which operation, and back.
// Nothing is listed, so any step of a million-key run is named in logarithmic time.
//
//   scan     for each tile in order: one step a key, one when the tile is done, and, unless the tile opens its
//            stream, one fold  stream ⊕ tile. Methods that go key by key: one step a key, and nothing else
//   merge    sequential, tree: one step a merge          flat: one step
//            two-step: one log_sum step for each further stream, then one weigh step a stream
//   check    one step: the result beside a reference
//
// Every ⊕ counts once: a run over T tiles folds and merges T − 1 times (more only where streams are empty). Standard
// attention has a stream a key: one step a key, one flat step, the check.
#pragma once

#include <cstdint>

#include "core/plan/merge_tree.h"
#include "core/plan/method.h"
#include "core/plan/plan.h"

namespace fdlab {

enum class StepKind : std::uint8_t {
  start,      ///< step 0: nothing has happened
  key,        ///< one key joins its tile's running partial or, where the method goes key by key, its stream's
  tile_done,  ///< the tile's partial is final
  fold,       ///< stream ⊕ tile
  merge,      ///< two partials become one, nodes of the merge tree
  log_sum,    ///< two-step: S of the streams so far
  weigh,      ///< two-step: one stream's payload is added with its weight
  flat,       ///< all streams become one at once
  check,      ///< the result meets the reference
};

struct Step {
  std::int64_t number = 0;
  StepKind kind = StepKind::start;
  std::int64_t tile = -1;    ///< key, tile_done, fold
  std::int64_t key = -1;     ///< key: position in the sequence
  std::int64_t stream = -1;  ///< key, tile_done, fold: the tile's stream; log_sum, weigh: the stream taken in
  std::int64_t merge = -1;   ///< merge: index in the merge tree
};

class StepIndex {
 public:
  explicit StepIndex(const DecodePlan& plan, Method method = Method::mlo);

  std::int64_t num_steps() const { return check_; }
  /// number from 0 (start) to num_steps().
  Step at(std::int64_t number) const;

  std::int64_t of_key(std::int64_t key) const;
  /// Where the method goes key by key: its last key.
  std::int64_t of_tile_done(std::int64_t tile) const;
  /// The step after which the tile is part of its stream: its fold, or its end if it opens the stream or goes key by key.
  std::int64_t of_tile_in_stream(std::int64_t tile) const;
  std::int64_t of_merge(std::int64_t merge) const { return scan_end_ + 1 + merge; }
  std::int64_t of_check() const { return check_; }

  std::int64_t scan_end() const { return scan_end_; }    ///< last step of the scan
  std::int64_t merge_end() const { return check_ - 1; }  ///< last step of the merge phase
  std::int64_t num_merge_steps() const { return merge_end() - scan_end(); }

 private:
  std::int64_t steps_before_tile(std::int64_t tile) const;
  Step scan_step(std::int64_t number) const;
  Step merge_step(std::int64_t number) const;

  DecodePlan plan_;
  bool key_by_key_;
  std::int64_t scan_end_, check_;
};

}  // namespace fdlab

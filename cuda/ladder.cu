#include "cuda/ladder.h"

#include "cuda/block_fold.h"

namespace fdlab {
namespace {

/// Rungs that read elements one by one do any problem up to a head size.
std::optional<std::string> any_head_dim(const DeviceProblem& p) {
  if (p.head_dim <= kMaxHeadDim && p.v_head_dim <= kMaxHeadDim) return std::nullopt;
  return "expected head_dim and v_head_dim of at most " + std::to_string(kMaxHeadDim) + ", found " +
         std::to_string(p.head_dim) + " and " + std::to_string(p.v_head_dim);
}

constexpr Rung kLadder[] = {
    {1, "one-block", "one block for each (sequence, query head)", launch_one_block, any_head_dim},
    {2, "split-mlo", "split-KV: partials (m, l, o), merged by a second kernel", launch_split_mlo,
     any_head_dim},
};

}  // namespace

std::span<const Rung> ladder() { return kLadder; }

}  // namespace fdlab

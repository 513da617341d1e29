#include "cuda/ladder.h"

#include "cuda/block_fold.h"
#include "cuda/plan.h"

namespace fdlab {
namespace {

/// Rungs that read elements one by one do any problem up to a head size.
std::optional<std::string> any_head_dim(const DeviceProblem& p) {
  if (p.head_dim <= kMaxHeadDim && p.v_head_dim <= kMaxHeadDim) return std::nullopt;
  return "expected head_dim and v_head_dim of at most " + std::to_string(kMaxHeadDim) + ", found " +
         std::to_string(p.head_dim) + " and " + std::to_string(p.v_head_dim);
}

/// Rungs 5 and 6 are written for the commonest shapes, to be read.
std::optional<std::string> common_shapes(const DeviceProblem& p) {
  const bool narrow = p.k.type == DType::f16 || p.k.type == DType::bf16;
  const bool sized = p.head_dim == p.v_head_dim && (p.head_dim == 64 || p.head_dim == 128);
  if (narrow && sized && p.q.type == p.k.type && rows_are_aligned(p.q) && rows_are_aligned(p.k) &&
      rows_are_aligned(p.v))
    return std::nullopt;
  return std::string(
             "expected an f16 or bf16 cache of head_dim 64 or 128, q of its type and 16-byte aligned rows, "
             "found ") +
         name_of(p.k.type) + " of head_dim " + std::to_string(p.head_dim) + " and q " + name_of(p.q.type);
}

constexpr Rung kLadder[] = {
    {1, "one-block", "one block for each (sequence, query head)", launch_one_block, any_head_dim},
    {2, "split-mlo", "split-KV: partials (m, l, o), merged by a second kernel", launch_split_mlo,
     any_head_dim},
    {3, "split-lse", "the same with partials (S, o)", launch_split_lse, any_head_dim},
    {4, "vector-loads", "coalesced 16-byte loads, warp-level online softmax", launch_vector_loads,
     any_head_dim},
    {5, "tensor-cores", "a group shares one read of K and V, on tensor cores", launch_tensor_cores,
     common_shapes},
    {6, "async-ring", "asynchronous copies, a ring of tiles per warp", launch_async_ring, common_shapes},
    {7, "one-kernel", "splits merged inside the kernel, which may overlap its predecessor", launch_one_kernel,
     any_head_dim},
};

}  // namespace

std::span<const Rung> ladder() { return kLadder; }

}  // namespace fdlab

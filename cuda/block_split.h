// What rungs 2 and 3 share: a block folds one split of a row's keys the plain way and leaves a partial in the form of its rung.
#pragma once

#include <type_traits>

#include "cuda/block_fold.h"
#include "cuda/split_partials.h"

namespace fdlab {

/// Statistics (m, l) as the form keeps them.
template <class Form>
__device__ typename Form::Stats stats_in(MaxSum<float> stats) {
  if constexpr (std::is_same_v<typename Form::Stats, LogSum<float>>) return to_log_sum<Base2>(stats);
  else return stats;
}

template <class T, class Form>
__global__ void __launch_bounds__(kBlock)
    block_split_kernel(DeviceProblem p, SplitRule rule, SplitPartials<Form> partials) {
  const int split = blockIdx.x % rule.num_splits;
  const Row row = row_at(p, blockIdx.x / rule.num_splits);
  const KeySpan seen = visible_keys(p, kv_len_of(p, row.batch), row.q);
  const BlockPartial partial = fold_keys<T>(p, row, rule.split(seen, split));

  float* o = partials.payload_of(row.index, split);
  for (int i = 0; i < kComponents; ++i) {
    const int c = threadIdx.x + i * kBlock;
    if (c < p.v_head_dim) o[c] = partial.output(i);
  }
  if (threadIdx.x == 0) partials.stats[partials.slot(row.index, split)] = stats_in<Form>(partial.stats);
}

/// Launches the kernel, then the merge. Form: one whose payload is o.
template <class Form>
void launch_block_split(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                        cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  const auto partials = SplitPartials<Form>::in(workspace, p, plan);
  const unsigned blocks = static_cast<unsigned>(p.num_rows() * plan.rule.num_splits);
  with_kv_type(p.k.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    block_split_kernel<T, Form><<<blocks, kBlock, 0, stream>>>(p, plan.rule, partials);
  });
  FD_CUDA(cudaGetLastError());
  launch_merge_splits(p, partials, stream);
}

}  // namespace fdlab

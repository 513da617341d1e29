// Partials of split-KV in global memory and the second kernel that merges them, for any form of core's ⊕.
#pragma once

#include "cuda/ladder.h"
#include "cuda/score.h"

namespace fdlab {

/// One partial per (row, split): payload (row, split, v_head_dim), then statistics (row, split).
template <class Form>
struct SplitPartials {
  float* payload;
  typename Form::Stats* stats;
  std::int32_t num_splits, v_head_dim;

  static SplitPartials in(const Workspace& workspace, const DeviceProblem& p, const CudaPlan& plan) {
    float* scratch = workspace.partials.as<float>() + plan.awaited_floats;
    const std::int64_t slots = p.num_rows() * plan.rule.num_splits;
    return {scratch, reinterpret_cast<typename Form::Stats*>(scratch + (slots * p.v_head_dim + 1) / 2 * 2),
            plan.rule.num_splits, p.v_head_dim};
  }
  __device__ std::int64_t slot(std::int64_t row, int split) const { return row * num_splits + split; }
  __device__ float* payload_of(std::int64_t row, int split) const {
    return payload + slot(row, split) * v_head_dim;
  }
};

inline constexpr int kMergeThreads = 128;

/// One block a row, one thread a component; splits in order.
template <class Form>
__global__ void __launch_bounds__(kMergeThreads)
    merge_splits_kernel(DeviceProblem p, SplitPartials<Form> partials) {
  const Row row = row_at(p, blockIdx.x);
  for (int c = threadIdx.x; c < p.v_head_dim; c += kMergeThreads) {
    auto stats = Form::empty();
    float payload = 0;
#pragma unroll 4
    for (int s = 0; s < partials.num_splits; ++s) {
      const auto merged = Form::merge(stats, partials.stats[partials.slot(row.index, s)]);
      payload = merged.blend(payload, partials.payload_of(row.index, s)[c]);
      stats = merged.stats;
    }
    const auto with_sink = merge_sink<Form>(p, row.q_head, stats);
    store_output(p, row.index, c, Form::output(with_sink.stats, with_sink.blend(payload, 0.0f)));
    if (c == 0) store_lse(p, row.index, lse_log2(p, stats, with_sink.stats));
  }
}

template <class Form>
void launch_merge_splits(const DeviceProblem& p, const SplitPartials<Form>& partials, cudaStream_t stream) {
  merge_splits_kernel<Form><<<static_cast<unsigned>(p.num_rows()), kMergeThreads, 0, stream>>>(p, partials);
  FD_CUDA(cudaGetLastError());
}

}  // namespace fdlab

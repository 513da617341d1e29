// Rung 2: split-KV. Several blocks share a row's keys; each leaves a partial (m, l, o), a second kernel merges them with ⊕.
//
// Changed against rung 1: blockIdx.y, the split; the partial goes to scratch instead of the output.
// Why: with s splits, s times as many blocks run, enough to fill every SM at batch 1.
// Expect: close to s times faster until the SMs are full, then the uncoalesced loads bind; one more launch (about 2 µs).
#include "cuda/block_fold.h"
#include "cuda/ladder.h"

namespace fdlab {
namespace {

using Form = MlNormalised<float, DeviceBase2>;

/// Scratch: o (row, split, v_head_dim), then m and l (row, split).
struct Partials {
  float* o;
  MaxSum<float>* stats;
  __host__ __device__ Partials(const DeviceProblem& p, int num_splits, float* scratch)
      : o(scratch),
        stats(reinterpret_cast<MaxSum<float>*>(scratch + p.num_rows() * num_splits * p.v_head_dim)) {}
};

template <class T>
__global__ void __launch_bounds__(kBlock) split_kernel(DeviceProblem p, SplitRule rule, Partials partials) {
  const Row row = row_at(p, blockIdx.x);
  const KeySpan seen = visible_keys(p, kv_len_of(p, row.batch), row.q);
  const BlockPartial partial = fold_keys<T>(p, row, rule.split(seen, blockIdx.y));

  const std::int64_t slot = row.index * rule.num_splits + blockIdx.y;
  for (int i = 0; i < kComponents; ++i) {
    const int c = threadIdx.x + i * kBlock;
    if (c < p.v_head_dim) partials.o[slot * p.v_head_dim + c] = partial.output(i);
  }
  if (threadIdx.x == 0) partials.stats[slot] = partial.stats;
}

__global__ void __launch_bounds__(kBlock) merge_kernel(DeviceProblem p, int num_splits, Partials partials) {
  const Row row = row_at(p, blockIdx.x);
  for (int c = threadIdx.x; c < p.v_head_dim; c += kBlock) {
    auto stats = Form::empty();
    float o = 0;
    for (int s = 0; s < num_splits; ++s) {
      const std::int64_t slot = row.index * num_splits + s;
      const auto merged = Form::merge(stats, partials.stats[slot]);
      o = merged.blend(o, partials.o[slot * p.v_head_dim + c]);
      stats = merged.stats;
    }
    const auto with_sink = merge_sink<Form>(p, row.q_head, stats);
    store_output(p, row.index, c, with_sink.blend(o, 0.0f));
    if (c == 0) store_lse(p, row.index, to_log_sum<Base2>(with_sink.stats).S);
  }
}

}  // namespace

void launch_split_mlo(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                      cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  const Partials partials(p, plan.rule.num_splits, workspace.partials.as<float>());
  const unsigned rows = static_cast<unsigned>(p.num_rows());
  with_kv_type(p.k.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 grid(rows, static_cast<unsigned>(plan.rule.num_splits));
    split_kernel<T><<<grid, kBlock, 0, stream>>>(p, plan.rule, partials);
  });
  FD_CUDA(cudaGetLastError());
  merge_kernel<<<rows, kBlock, 0, stream>>>(p, plan.rule.num_splits, partials);
  FD_CUDA(cudaGetLastError());
}

}  // namespace fdlab

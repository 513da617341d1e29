// Rung 2: split-KV. Several blocks share a row's keys; each leaves a partial (m, l, o), a second kernel merges them with ⊕.
//
// Changed against rung 1: blockIdx.y, the split; the partial goes to scratch instead of the output.
// Why: with s splits, s times as many blocks run, enough to fill every SM at batch 1.
// Expect: close to s times faster until the SMs are full, then the uncoalesced loads bind; one more launch (about 2 µs).
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 323, (1,32,8,32768) 1337, (1,32,32,32768) 4767, (8,32,8,8192) 2652.
// 8 and 16 splits: 7.3 and 14 times faster, as predicted while SMs are free. With 4 and 2 splits 4.0 and 1.9 times.
#include "cuda/block_fold.h"
#include "cuda/split_partials.h"

namespace fdlab {
namespace {

using Form = MlNormalised<float, DeviceBase2>;

template <class T>
__global__ void __launch_bounds__(kBlock)
    split_mlo_kernel(DeviceProblem p, SplitRule rule, SplitPartials<Form> partials) {
  const int split = blockIdx.x % rule.num_splits;
  const Row row = row_at(p, blockIdx.x / rule.num_splits);
  const KeySpan seen = visible_keys(p, kv_len_of(p, row.batch), row.q);
  const BlockPartial partial = fold_keys<T>(p, row, rule.split(seen, split));

  float* o = partials.payload_of(row.index, split);
  for (int i = 0; i < kComponents; ++i) {
    const int c = threadIdx.x + i * kBlock;
    if (c < p.v_head_dim) o[c] = partial.output(i);
  }
  if (threadIdx.x == 0) partials.stats[partials.slot(row.index, split)] = partial.stats;
}

}  // namespace

void launch_split_mlo(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                      cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  const auto partials = SplitPartials<Form>::in(workspace, p, plan);
  const unsigned blocks = static_cast<unsigned>(p.num_rows() * plan.rule.num_splits);
  with_kv_type(p.k.type, [&](auto tag) {
    split_mlo_kernel<typename decltype(tag)::type><<<blocks, kBlock, 0, stream>>>(p, plan.rule, partials);
  });
  FD_CUDA(cudaGetLastError());
  launch_merge_splits(p, partials, stream);
}

}  // namespace fdlab

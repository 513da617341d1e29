// Rung 3: the same with the log-sum form. A partial is (S, o): S = m + log l says all that a merge needs.
//
// Changed against rung 2: Form, and S instead of (m, l) is stored.
// Why: one number a partial instead of two, and the form that other GPUs and other kernels hand over.
// Expect: the same time; the statistics are 2 of 130 floats of a partial at head_dim 128.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 328, (1,32,8,32768) 1327, (1,32,32,32768) 4781, (8,32,8,8192) 2633.
// The same within 2 %, as predicted.
#include "cuda/block_fold.h"
#include "cuda/split_partials.h"

namespace fdlab {
namespace {

using Form = Lse<float, DeviceBase2>;

template <class T>
__global__ void __launch_bounds__(kBlock)
    split_lse_kernel(DeviceProblem p, SplitRule rule, SplitPartials<Form> partials) {
  const int split = blockIdx.x % rule.num_splits;
  const Row row = row_at(p, blockIdx.x / rule.num_splits);
  const KeySpan seen = visible_keys(p, kv_len_of(p, row.batch), row.q);
  const BlockPartial partial = fold_keys<T>(p, row, rule.split(seen, split));

  float* o = partials.payload_of(row.index, split);
  for (int i = 0; i < kComponents; ++i) {
    const int c = threadIdx.x + i * kBlock;
    if (c < p.v_head_dim) o[c] = partial.output(i);
  }
  if (threadIdx.x == 0) partials.stats[partials.slot(row.index, split)] = to_log_sum<Base2>(partial.stats);
}

}  // namespace

void launch_split_lse(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                      cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  const auto partials = SplitPartials<Form>::in(workspace, p, plan);
  const unsigned blocks = static_cast<unsigned>(p.num_rows() * plan.rule.num_splits);
  with_kv_type(p.k.type, [&](auto tag) {
    split_lse_kernel<typename decltype(tag)::type><<<blocks, kBlock, 0, stream>>>(p, plan.rule, partials);
  });
  FD_CUDA(cudaGetLastError());
  launch_merge_splits(p, partials, stream);
}

}  // namespace fdlab

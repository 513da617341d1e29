// Rung 4: coalesced 16-byte loads and warp-level online softmax. Also the generic kernel of launch_decode: any head_dim, any
// strides (then element by element), every feature, float caches without loss.
//
// Changed against rung 3: VectorFold. Lanes share a key instead of walking one each, and the maximum is a warp's affair.
// Why: a warp's loads touch whole rows, 512 bytes an instruction, and no barrier stands between tiles.
// Expect: half the bandwidth while each query head reads its own KV; with a group of g heads g times the bytes come from L2.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 64.6, (1,32,8,32768) 245, (1,32,32,32768) 943, (8,32,8,8192) 487.
// 5 times faster, but far from the bandwidth, MHA too: four warps a block with four keys in flight each are too few at these split
// counts. Twice the splits took half the time at (1,32,32,32768): latency binds, and rung 6 is the answer to that.
#include "cuda/block_fold.h"
#include "cuda/split_partials.h"
#include "cuda/vector_fold.h"

namespace fdlab {
namespace {

constexpr int kWarps = 4;
using Form = MlUnnormalised<float, DeviceBase2>;

template <class T, int kVec, int kLanes, int kChunks>
__global__ void __launch_bounds__(32 * kWarps)
    vector_kernel(const __grid_constant__ DeviceProblem p, SplitRule rule, SplitPartials<Form> partials) {
  using Fold = VectorFold<T, kVec, kLanes, kChunks>;
  __shared__ float payload[kWarps][kMaxHeadDim];
  __shared__ MaxSum<float> stats[kWarps];
  const int split = blockIdx.x % rule.num_splits, warp = threadIdx.x / 32;
  const Row row = row_at(p, blockIdx.x / rule.num_splits);
  const KeySpan keys = rule.split(visible_keys(p, kv_len_of(p, row.batch), row.q), split);

  Fold fold(p, row);
  for (std::int32_t first = keys.begin + warp * Fold::kStep; first < keys.end; first += kWarps * Fold::kStep)
    fold.fold(first, keys.end);
  fold.merge_groups();
  fold.store(&stats[warp], payload[warp]);
  __syncthreads();

  float* to = partials.payload_of(row.index, split);
  for (int c = threadIdx.x; c < p.v_head_dim; c += 32 * kWarps) {
    MaxSum<float> total = Form::empty();
    float O = 0;
    for (int w = 0; w < kWarps; ++w) {
      const auto merged = Form::merge(total, stats[w]);
      O = merged.blend(O, payload[w][c]);
      total = merged.stats;
    }
    to[c] = O;
    if (c == 0) partials.stats[partials.slot(row.index, split)] = total;
  }
}

template <class T, int kVec, int kLanes, int kChunks>
void launch(const DeviceProblem& p, const CudaPlan& plan, const SplitPartials<Form>& partials,
            cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(p.num_rows() * plan.rule.num_splits);
  vector_kernel<T, kVec, kLanes, kChunks><<<blocks, 32 * kWarps, 0, stream>>>(p, plan.rule, partials);
  FD_CUDA(cudaGetLastError());
}

}  // namespace

void launch_vector_loads(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                         cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  const auto partials = SplitPartials<Form>::in(workspace, p, plan);
  const int dim = p.head_dim > p.v_head_dim ? p.head_dim : p.v_head_dim;
  const int unit = 16 / static_cast<int>(size_in_bytes(p.k.type));
  const bool wide = rows_are_aligned(p.k) && rows_are_aligned(p.v) && p.head_dim % unit == 0 &&
                    p.v_head_dim % unit == 0 && dim <= 256;
  with_kv_type(p.k.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int kVec = 16 / static_cast<int>(sizeof(T));
    if (!wide) launch<T, 1, 32, kMaxHeadDim / 32>(p, plan, partials, stream);
    else if (dim <= 64) launch<T, kVec, 64 / kVec, 1>(p, plan, partials, stream);
    else if (dim <= 128) launch<T, kVec, 128 / kVec, 1>(p, plan, partials, stream);
    else if constexpr (kVec == 4) launch<T, kVec, 32, 2>(p, plan, partials, stream);
    else launch<T, kVec, 256 / kVec, 1>(p, plan, partials, stream);
  });
  launch_merge_splits(p, partials, stream);
}

}  // namespace fdlab

// Rung 1: one block for each (sequence, query head). The decode bottleneck itself.
//
// Why it is slow: batch 1 with 32 query heads is 32 blocks for 132 SMs, and each thread walks a key of its own, so a warp's
// loads touch 32 rows at once. The time grows with kv_len and no further block can help.
// Expect: far below a tenth of the bandwidth, whatever the length.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 2367, (1,32,8,32768) 18855, (1,32,32,32768) 19093, (8,32,8,8192) 5040.
// 32 blocks each walk all keys: 0.4 % of the bandwidth, and 8 times the keys take 8 times as long.
#include "cuda/block_fold.h"
#include "cuda/ladder.h"
#include "cuda/recorded_launches.h"

namespace fdlab {
namespace {

template <class T, class Recorder>
__global__ void __launch_bounds__(kBlock) one_block_kernel(DeviceProblem p, Recorder recorder) {
  const Row row = row_at(p, blockIdx.x);
  const KeySpan keys = visible_keys(p, kv_len_of(p, row.batch), row.q);
  recorder.start(keys.size());
  const BlockPartial partial = fold_keys<T>(p, row, keys);

  const auto with_sink = merge_sink<MlUnnormalised<float, DeviceBase2>>(p, row.q_head, partial.stats);
  for (int i = 0; i < kComponents; ++i) {
    const int c = threadIdx.x + i * kBlock;
    const float O = with_sink.blend(partial.O[i], 0.0f);
    if (c < p.v_head_dim)
      store_output(p, row.index, c, MlUnnormalised<float, DeviceBase2>::output(with_sink.stats, O));
  }
  if (threadIdx.x == 0) store_lse(p, row.index, lse_log2(p, partial.stats, with_sink.stats));
  recorder.stop();
}

template <class Recorder>
void launch(const DeviceProblem& p, Recorder recorder, cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  with_kv_type(p.k.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_block_kernel<T><<<static_cast<unsigned>(p.num_rows()), kBlock, 0, stream>>>(p, recorder);
  });
  FD_CUDA(cudaGetLastError());
}

}  // namespace

void launch_one_block(const DeviceProblem& p, const CudaPlan&, const Workspace&, cudaStream_t stream) {
  launch(p, NoRecord{}, stream);
}

void launch_one_block_recorded(const DeviceProblem& p, RecordBlocks recorder, cudaStream_t stream) {
  launch(p, recorder, stream);
}

RecordedLaunch one_block_launch() {
  constexpr std::int64_t kLoadsInFlight = 4;  // the compiler unrolls the dot product by as many
  return launch_of(one_block_kernel<__nv_bfloat16, NoRecord>, kBlock, 0, kLoadsInFlight * kBlock * 2);
}

}  // namespace fdlab

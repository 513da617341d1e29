// Rung 2: split-KV. Several blocks share a row's keys; each leaves a partial (m, l, o), a second kernel merges them with ⊕.
//
// Changed against rung 1: blockIdx.y, the split; the partial goes to scratch instead of the output.
// Why: with s splits, s times as many blocks run, enough to fill every SM at batch 1.
// Expect: close to s times faster until the SMs are full, then the uncoalesced loads bind; one more launch (about 2 µs).
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 307, (1,32,8,32768) 1327, (1,32,32,32768) 4764, (8,32,8,8192) 2651.
// 8 and 16 splits: 7.7 and 14 times faster, as predicted while SMs are free. With 4 and 2 splits 4.0 and 1.9 times.
#include "cuda/block_split.h"

void fdlab::launch_split_mlo(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                             cudaStream_t stream) {
  launch_block_split<MlNormalised<float, DeviceBase2>>(p, plan, workspace, stream);
}

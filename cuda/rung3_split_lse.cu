// Rung 3: the same with the log-sum form. A partial is (S, o): S = m + log l says all that a merge needs.
//
// Changed against rung 2: Form, and S instead of (m, l) is stored.
// Why: one number a partial instead of two, and the form that other GPUs and other kernels hand over.
// Expect: the same time; the statistics are 2 of 130 floats of a partial at head_dim 128.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 328, (1,32,8,32768) 1327, (1,32,32,32768) 4780, (8,32,8,8192) 2660.
// The same within 1 %, as predicted, but 7 % more at 17 MB.
#include "cuda/block_split.h"

void fdlab::launch_split_lse(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                             cudaStream_t stream) {
  launch_block_split<Lse<float, DeviceBase2>>(p, plan, workspace, stream);
}

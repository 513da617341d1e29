// Rung 7: one kernel. The splits merge inside it, and it starts before its predecessor has ended.
//
// Changed against rung 6: warps merge in shared memory; blocks of a head merge through their cluster's shared memory where there
// are few bytes or two splits, else the last to begin merge from L2, a slice each (decode_kernel.h); a partial announces itself
// (merge_partials.h); the launch may overlap the kernel before, and streams K and V before it waits, if the caller promises that
// they are ready.
// Why: at 2 to 34 MB the second launch and its wait cost as much as the keys.
// Expect: 1.5 to 3 µs less a call; nothing at lengths where bandwidth is all.
// Measured (NVIDIA H200, 2026-12-01, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 8.4, (1,32,8,32768) 35.0, (1,32,32,32768) 123, (8,32,8,8192) 63.6.
// 7.1 µs less at 17 MB, 10.1 at 134 MB, about 5 beyond: predicted 1.5 to 3, plus warps merged before they leave the SM.
// With K and V promised ready, call after call: 7.5, 33.3, 121, 62.7 µs.
#include "cuda/decode.h"
#include "cuda/ladder.h"

namespace fdlab {

void launch_one_kernel(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                       cudaStream_t stream) {
  launch_decode(p, plan, workspace, stream);
}

}  // namespace fdlab

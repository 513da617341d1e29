// Rung 7: one kernel. The splits merge inside it, and it starts before its predecessor has ended.
//
// Changed against rung 6: warps merge in shared memory; blocks of a head merge through their cluster's shared memory where there
// are few bytes, else the last to arrive merge from L2, a slice each (decode_kernel.h); the launch may overlap the kernel before,
// and streams K and V before it waits, if the caller promises that they are ready.
// Why: at 2 to 34 MB the second launch and its wait cost as much as the keys.
// Expect: 1.5 to 3 µs less a call; nothing at lengths where bandwidth is all.
#include "cuda/decode.h"
#include "cuda/ladder.h"

namespace fdlab {

void launch_one_kernel(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace, cudaStream_t stream) {
  launch_decode(p, plan, workspace, stream);
}

}  // namespace fdlab

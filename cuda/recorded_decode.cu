#include "cuda/decode_kernel.h"
#include "cuda/recorded_launches.h"

void fdlab::launch_decode_recorded(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                                   RecordBlocks recorder, cudaStream_t stream) {
  launch_decode_kernel<__nv_bfloat16, 128, 1>(p, plan, workspace, recorder, stream);
}

fdlab::RecordedLaunch fdlab::decode_launch(const CudaPlan& plan) {
  return launch_of(decode_kernel<__nv_bfloat16, 128, 1, NoRecord>, 32 * plan.warps, plan.shared_bytes,
                   std::int64_t{1} * plan.warps * plan.stages * TileLayout<__nv_bfloat16, 128>::kBytes);
}

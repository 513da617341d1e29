// What every file of instances/ compiles.
#pragma once

#include "cuda/decode_kernel.h"

namespace fdlab {

template <class T, int kHeadDim>
void launch_instance(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                     cudaStream_t stream) {
  if (plan.rows_per_block == 8) launch_decode_kernel<T, kHeadDim, 1>(p, plan, workspace, NoRecord{}, stream);
  else launch_decode_kernel<T, kHeadDim, 2>(p, plan, workspace, NoRecord{}, stream);
}

}  // namespace fdlab

#include "cuda/decode.h"

#include "cuda/decode_instances.h"

namespace fdlab {

void launch_decode(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace, cudaStream_t stream) {
  if (plan.num_units == 0) return;
  find_instance(p.k.type, p.head_dim)->launch(p, plan, workspace, stream);
}

}  // namespace fdlab

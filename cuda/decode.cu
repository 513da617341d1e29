#include "cuda/decode.h"

#include "cuda/ladder.h"

namespace fdlab {

void launch_decode(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                   cudaStream_t stream) {
  if (plan.num_units == 0) return;
  const LaunchDecode launch =
      plan.is_tuned ? find_instance(p.k.type, p.head_dim)->launch : launch_vector_loads;
  launch(p, plan, workspace, stream);
}

}  // namespace fdlab

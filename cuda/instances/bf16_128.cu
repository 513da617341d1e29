#include "cuda/decode_instance_body.h"

template void fdlab::launch_instance<__nv_bfloat16, 128, 32>(const DeviceProblem&, const CudaPlan&,
                                                             const Workspace&, cudaStream_t);

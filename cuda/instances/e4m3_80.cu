#include "cuda/decode_instance_body.h"

template void fdlab::launch_instance<__nv_fp8_e4m3, 80, 8>(const DeviceProblem&, const CudaPlan&,
                                                           const Workspace&, cudaStream_t);

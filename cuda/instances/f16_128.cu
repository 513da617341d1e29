#include "cuda/decode_instance_body.h"

template void fdlab::launch_instance<__half, 128, 32>(const DeviceProblem&, const CudaPlan&, const Workspace&,
                                                      cudaStream_t);

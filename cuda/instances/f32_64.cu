#include "cuda/decode_instance_body.h"

template void fdlab::launch_instance<float, 64, 16>(const DeviceProblem&, const CudaPlan&, const Workspace&,
                                                    cudaStream_t);

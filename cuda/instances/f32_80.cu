#include "cuda/decode_instance_body.h"

template void fdlab::launch_instance<float, 80, 8>(const DeviceProblem&, const CudaPlan&, const Workspace&,
                                                   cudaStream_t);

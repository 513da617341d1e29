#include "cli/cuda_state.h"

#if FDLAB_HAS_CUDA
#include <fmt/format.h>

#include "cuda/device.h"
#endif

namespace fdlab::cli {

#if FDLAB_HAS_CUDA
CudaState cuda_state() {
  const DeviceInfo device = find_device();
  if (!device.available) return {false, device.reason};
  return {true, fmt::format("{}, {} SMs, {:.0f} GiB", device.name, device.limits.num_sms,
                            static_cast<double>(device.memory_bytes) / (1 << 30))};
}
#else
CudaState cuda_state() { return {false, "this build has no CUDA part"}; }
#endif

}  // namespace fdlab::cli

#include <fmt/format.h>

#include "cli/cuda.h"
#include "cuda/device.h"

namespace fdlab::cli {

CudaState cuda_state() {
  const DeviceInfo device = find_device();
  if (!device.available) return {false, device.reason};
  return {true, fmt::format("{}, {} SMs, {:.0f} GiB, driver {}", device.name, device.limits.num_sms,
                            static_cast<double>(device.memory_bytes) / (1 << 30), device.driver)};
}

}  // namespace fdlab::cli

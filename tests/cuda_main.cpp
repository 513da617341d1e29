// Runs the CUDA tests, or says why it cannot and exits 77: skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "cuda/device.h"

int main(int argc, char** argv) {
  const fdlab::DeviceInfo device = fdlab::find_device();
  if (!device.available) {
    std::printf("SKIPPED: %s\n", device.reason.c_str());
    return 77;
  }
  std::printf("device: %s, compute capability %.1f, %d SMs\n", device.name.c_str(),
              device.limits.compute_capability / 10.0, device.limits.num_sms);
  return doctest::Context(argc, argv).run();
}

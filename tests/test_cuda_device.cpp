#include "cuda/device.h"

#include <doctest/doctest.h>

#include <string>

using namespace fdlab;

TEST_CASE("a failed CUDA call names its expression, its error, its file and its line") {
  std::string text;
  try {
    FD_CUDA(cudaSetDevice(-1));
  } catch (const CudaError& error) {
    text = error.what();
  }
  CHECK(text.find("cudaSetDevice(-1)") != std::string::npos);
  CHECK(text.find("invalid device ordinal") != std::string::npos);
  CHECK(text.find("test_cuda_device.cpp:") != std::string::npos);
}

TEST_CASE("an allocation that cannot be had throws, and the device still works afterwards") {
  CHECK_THROWS_WITH_AS(DeviceBuffer(std::size_t{1} << 50),
                       "expected 1125899906842624 bytes of free device memory, found less", CudaError);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(DeviceBuffer(1 << 20).data() != nullptr);
}

// The CUDA device: what it has, or the reason there is none, and checked runtime calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace fdlab {

/// What a plan needs to know of a device.
struct DeviceLimits {
  int num_sms = 0;
  int shared_per_sm = 0;       ///< bytes
  int shared_per_block = 0;    ///< bytes, the most a kernel may ask for
  int compute_capability = 0;  ///< 90 for 9.0
};

/// The device that kernels run on, or why there is none. A machine without a GPU is a state, not an error.
struct DeviceInfo {
  bool available = false;
  std::string reason;  ///< one sentence when not available
  std::string name;
  std::string driver;  ///< "580.159.04"; "CUDA 13.0", what it supports, where it does not say
  int driver_version = 0, runtime_version = 0;  ///< as CUDA numbers them: 13000 is 13.0
  std::size_t memory_bytes = 0, l2_bytes = 0;
  DeviceLimits limits;
};

/// Looks at device 0. Never throws.
DeviceInfo find_device();

/// A CUDA call failed: expression, the runtime's text, file and line; or a sentence.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* expression, const char* file, int line);
  CudaError(cudaError_t code, const std::string& sentence);
  cudaError_t code;
};

/// Throws, and takes the failure off the runtime's record, so that the next call is not blamed for it.
inline void check_cuda(cudaError_t code, const char* expression, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw CudaError(code, expression, file, line);
}

/// Device memory with an owner. Throws CudaError when there is not enough.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fdlab

/// Checks a runtime call; after a launch, FD_CUDA(cudaGetLastError()).
#define FD_CUDA(call) ::fdlab::check_cuda((call), #call, __FILE__, __LINE__)

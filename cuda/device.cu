#include <algorithm>
#include <fstream>
#include <utility>

#include "cuda/device.h"

namespace fdlab {
namespace {

DeviceInfo no_device(std::string reason) {
  DeviceInfo info;
  info.reason = std::move(reason);
  return info;
}

/// The kernel module's own version, the only word of its file that has two dots.
std::string driver_name(int cuda_version) {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (std::count(word.begin(), word.end(), '.') == 2 &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "CUDA " + std::to_string(cuda_version / 1000) + "." + std::to_string(cuda_version % 1000 / 10);
}

std::string error_text(cudaError_t code, const char* expression, const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + expression +
         " failed: " + cudaGetErrorString(code);
}

}  // namespace

CudaError::CudaError(cudaError_t failure, const char* expression, const char* file, int line)
    : std::runtime_error(error_text(failure, expression, file, line)), code(failure) {}

CudaError::CudaError(cudaError_t failure, const std::string& sentence)
    : std::runtime_error(sentence), code(failure) {}

DeviceInfo find_device() {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  int driver_version = 0;  // stays 0 where no driver is installed
  cudaDriverGetVersion(&driver_version);
  if (driver_version == 0) return no_device("no CUDA device: no NVIDIA driver is installed");
  if (counted != cudaSuccess) return no_device(std::string("no CUDA device: ") + cudaGetErrorString(counted));
  if (count == 0) return no_device("no CUDA device: the driver lists none");

  cudaDeviceProp properties;
  const cudaError_t read = cudaGetDeviceProperties(&properties, 0);
  if (read != cudaSuccess) return no_device(std::string("no CUDA device: ") + cudaGetErrorString(read));
  if (properties.major < 8)
    return no_device("no usable CUDA device: expected compute capability 8.0 or newer, found " +
                     std::to_string(properties.major) + "." + std::to_string(properties.minor) + " (" +
                     properties.name + ")");

  DeviceInfo info;
  info.available = true;
  info.name = properties.name;
  info.driver_version = driver_version;
  info.driver = driver_name(info.driver_version);
  cudaRuntimeGetVersion(&info.runtime_version);
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.limits = {properties.multiProcessorCount, static_cast<int>(properties.sharedMemPerMultiprocessor),
                 static_cast<int>(properties.sharedMemPerBlockOptin),
                 properties.major * 10 + properties.minor};
  return info;
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const cudaError_t code = cudaMalloc(&data_, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw CudaError(code, "expected " + std::to_string(bytes) + " bytes of free device memory, found less");
  }
  FD_CUDA(code);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() { cudaFree(data_); }

}  // namespace fdlab

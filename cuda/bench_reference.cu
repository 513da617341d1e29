#include <cmath>
#include <vector>

#include "cuda/bench_reference.h"
#include "cuda/device.h"
#include "cuda/element.h"

namespace fdlab::bench {
namespace {

constexpr int kThreads = 256;

__device__ double block_reduce(double x, bool take_max) {
  __shared__ double all[kThreads];
  __syncthreads();
  all[threadIdx.x] = x;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < static_cast<unsigned>(half)) {
      const double other = all[threadIdx.x + half];
      all[threadIdx.x] =
          take_max ? (all[threadIdx.x] > other ? all[threadIdx.x] : other) : all[threadIdx.x] + other;
    }
    __syncthreads();
  }
  return all[0];
}

/// Element offset of a token, looked up here anew.
__device__ std::int64_t offset_of(const DeviceProblem& p, const DeviceTensor& t, int batch, int head,
                                  std::int64_t token) {
  if (p.pages.pages == nullptr) return batch * t.batch_stride + head * t.head_stride + token * t.token_stride;
  const std::int64_t page = p.pages.pages[batch * p.pages.table_stride + token / p.pages.page_size];
  return page * t.batch_stride + head * t.head_stride + token % p.pages.page_size * t.token_stride;
}

__global__ void __launch_bounds__(kThreads)
    reference_kernel(DeviceProblem p, double* o, double* lse_ln, double* scores) {
  const Row row = row_at(p, blockIdx.x);
  const int kv_head = row.q_head / p.group(), n = kv_len_of(p, row.batch), lane = threadIdx.x % 32;
  const std::int64_t q = p.q.offset(row.batch, row.q_head, row.q);
  double* s = scores + row.index * p.kv_len;

  double largest = -INFINITY;
  for (int key = threadIdx.x / 32; key < n; key += kThreads / 32) {
    const std::int64_t k = offset_of(p, p.k, row.batch, kv_head, key);
    double dot = 0;
    for (int c = lane; c < p.head_dim; c += 32)
      dot +=
          double(load_as_float(p.q.data, p.q.type, q + c)) * double(load_as_float(p.k.data, p.k.type, k + c));
    for (int distance = 16; distance > 0; distance /= 2) dot += __shfl_xor_sync(~0u, dot, distance);
    if (lane == 0) s[key] = dot * double(p.scale);
    largest = fmax(largest, dot * double(p.scale));
  }
  largest = block_reduce(largest, true);
  double sum = 0;
  for (int key = threadIdx.x; key < n; key += kThreads) sum += s[key] = exp(s[key] - largest);
  sum = block_reduce(sum, false);

  for (int c = threadIdx.x; c < p.v_head_dim; c += kThreads) {
    double total = 0;
#pragma unroll 8
    for (int key = 0; key < n; ++key)
      total +=
          s[key] * double(load_as_float(p.v.data, p.v.type, offset_of(p, p.v, row.batch, kv_head, key) + c));
    o[row.index * p.v_head_dim + c] = n ? total / sum : 0;
  }
  if (threadIdx.x == 0) lse_ln[row.index] = n ? largest + log(sum) : -INFINITY;
}

__global__ void widen_kernel(const void* data, DType type, std::int64_t count, double* out) {
  const std::int64_t i = std::int64_t{1} * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = load_as_float(data, type, i);
}

__device__ std::uint32_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 32);
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = std::int64_t{1} * blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{1} * gridDim.x * blockDim.x) {
    const float a = (mix(2 * (i + seed)) + 0.5f) * 0x1p-32f, b = mix(2 * (i + seed) + 1) * 0x1p-32f;
    data[i] = T(sqrtf(-2 * logf(a)) * cospif(2 * b));
  }
}

std::vector<double> host_copy(const double* device, std::int64_t count) {
  std::vector<double> host(static_cast<std::size_t>(count));
  FD_CUDA(cudaMemcpy(host.data(), device, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return host;
}

std::vector<double> widened(const void* data, DType type, std::int64_t count, cudaStream_t stream) {
  const DeviceBuffer wide(static_cast<std::size_t>(count) * sizeof(double));
  widen_kernel<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(data, type, count,
                                                                               wide.as<double>());
  FD_CUDA(cudaGetLastError());
  FD_CUDA(cudaStreamSynchronize(stream));
  return host_copy(wide.as<double>(), count);
}

}  // namespace

void launch_reference(const DeviceProblem& p, double* o, double* lse_ln, double* scores,
                      cudaStream_t stream) {
  reference_kernel<<<static_cast<unsigned>(p.num_rows()), kThreads, 0, stream>>>(p, o, lse_ln, scores);
  FD_CUDA(cudaGetLastError());
}

double relative_error(const DeviceProblem& p, const double* reference_o, cudaStream_t stream) {
  const std::int64_t count = p.num_rows() * p.v_head_dim;
  const std::vector<double> out = widened(p.o, p.o_type, count, stream),
                            right = host_copy(reference_o, count);
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    difference += (out[i] - right[i]) * (out[i] - right[i]);
    norm += right[i] * right[i];
  }
  return std::sqrt(difference / norm);
}

double lse_error(const DeviceProblem& p, const double* reference_lse_ln, cudaStream_t stream) {
  const std::vector<double> lse = widened(p.lse_ln, DType::f32, p.num_rows(), stream),
                            right = host_copy(reference_lse_ln, p.num_rows());
  double worst = 0;
  for (std::size_t i = 0; i < lse.size(); ++i) {
    const double difference = lse[i] == right[i] ? 0 : std::abs(lse[i] - right[i]);  // −∞ equals −∞
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

void fill_random(void* data, DType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
  with_kv_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_kernel<T><<<2048, 256, 0, stream>>>(static_cast<T*>(data), count, seed);
  });
  FD_CUDA(cudaGetLastError());
}

}  // namespace fdlab::bench

// Element types of the device and their way to float and back.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <stdexcept>

#include "core/problem/dtype.h"

namespace fdlab {

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline float to_float(__nv_fp8_e4m3 x) { return static_cast<float>(x); }

/// Element `index` of a tensor whose type is known only at run time; for q and other small things.
__device__ inline float load_as_float(const void* data, DType type, std::int64_t index) {
  switch (type) {
    case DType::f16: return to_float(static_cast<const __half*>(data)[index]);
    case DType::bf16: return to_float(static_cast<const __nv_bfloat16*>(data)[index]);
    case DType::e4m3: return to_float(static_cast<const __nv_fp8_e4m3*>(data)[index]);
    default: return static_cast<const float*>(data)[index];
  }
}

/// Rounds once, to nearest even.
__device__ inline void store_as(void* data, DType type, std::int64_t index, float value) {
  switch (type) {
    case DType::f16: static_cast<__half*>(data)[index] = __float2half_rn(value); break;
    case DType::bf16: static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16_rn(value); break;
    default: static_cast<float*>(data)[index] = value;
  }
}

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>) for the element type of a KV cache.
template <class F>
void with_kv_type(DType type, F&& f) {
  switch (type) {
    case DType::f32: return f(TypeTag<float>{});
    case DType::f16: return f(TypeTag<__half>{});
    case DType::bf16: return f(TypeTag<__nv_bfloat16>{});
    case DType::e4m3: return f(TypeTag<__nv_fp8_e4m3>{});
    case DType::f64: break;
  }
  throw std::invalid_argument("expected a KV cache of f32, f16, bf16 or e4m3, found f64");
}

}  // namespace fdlab

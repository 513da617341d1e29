// Warp-level matrix instructions (PTX ISA, "Warp-level matrix instructions"; sm_80 and later). u = lane / 4, j = lane % 4.
//
//   mma m16n8k16   A (16 × 16)  a0 (u, 2j) a1 (u+8, 2j) a2 (u, 2j+8) a3 (u+8, 2j+8)    two neighbours in k per register
//                  B (16 × 8)   b0 (2j, u) b1 (2j+8, u)                                two neighbours in k per register
//                  D (16 × 8)   d0 (u, 2j) d1 (u, 2j+1) d2 (u+8, 2j) d3 (u+8, 2j+1)    float
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace fdlab {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Four 8 × 8 matrices of 16-bit elements; lanes 8i … 8i+7 give the rows of matrix i. r[i] holds (u, 2j) and (u, 2j+1).
__device__ inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address));
}

/// The same, each matrix transposed on the way: r[i] holds (2j, u) and (2j+1, u).
__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address));
}

/// An 8 × 8 matrix held one register a lane, transposed.
__device__ inline std::uint32_t transpose_matrix(std::uint32_t r) {
  std::uint32_t t;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(r));
  return t;
}

/// d += a·b with float sums. T: the 16-bit type that the registers hold.
template <class T>
__device__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

template <>
__device__ inline void multiply_add<__half>(float (&d)[4], const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
__device__ inline void multiply_add<__nv_bfloat16>(float (&d)[4], const std::uint32_t (&a)[4],
                                                   const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Two floats rounded to the 16-bit type, `low` in the low half.
template <class T>
__device__ std::uint32_t pack(float low, float high);

template <>
__device__ inline std::uint32_t pack<__half>(float low, float high) {
  std::uint32_t r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

template <>
__device__ inline std::uint32_t pack<__nv_bfloat16>(float low, float high) {
  std::uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

/// Two e4m3 numbers (16 bits) as two halves; exact.
__device__ inline std::uint32_t halves_from_e4m3(std::uint32_t two) {
  return static_cast<std::uint32_t>(
             __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(two), __NV_E4M3).x) |
         static_cast<std::uint32_t>(
             __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(two), __NV_E4M3).y)
             << 16;
}

}  // namespace fdlab

// Partials (m, l, O) of several rows become one, wherever they lie: a block's warps' in shared memory, its cluster's, or all
// splits' in global memory. Always in the order of the parts.
#pragma once

#include "core/math/flat.h"
#include "cuda/async.h"
#include "cuda/score.h"

namespace fdlab {

/// What a word of scratch holds until something is written to it: a NaN that arithmetic never yields (PTX ISA: the NaN results of
/// f32 instructions are 0x7fffffff). So a partial itself tells its reader that it has arrived, without a flag and a fence.
inline constexpr std::uint32_t kAbsent = 0xffffffff;

__device__ inline bool is_absent(float x) { return __float_as_uint(x) == kAbsent; }

/// Where partials lie.
enum class PartialsIn : std::uint8_t {
  block,  ///< this block's shared memory
  cluster,  ///< the shared memory of the cluster's blocks, part i at the same place of block i; part strides are 0
  scratch,  ///< global memory, each quad read once; other blocks may still be writing
};

/// Partials of some rows. A quad is four neighbouring components of a row, counted through all rows.
struct Partials {
  PartialsIn where;
  float* O;
  MaxSum<float>* stats;
  int O_part, O_row;                      ///< strides in floats
  int stats_part, stats_row, stats_quad;  ///< strides in statistics

  __device__ float4* payload(int part, int row, int component) const {
    float* first = where == PartialsIn::cluster ? block_address(O, part) : O + part * O_part;
    return reinterpret_cast<float4*>(first + row * O_row + component);
  }
  __device__ float2* statistics(int part, int row, int quad) const {
    MaxSum<float>* first =
        where == PartialsIn::cluster ? block_address(stats, part) : stats + part * stats_part;
    return reinterpret_cast<float2*>(first + row * stats_row + quad * stats_quad);
  }
};

/// Statistics and four components of a union.
struct MergedQuad {
  MaxSum<float> stats;
  float4 O;
};

inline constexpr int kMergeWidth =
    8;  ///< parts that a thread merges at once, all their loads in flight together

/// One quad of some parts of scratch, whole words as the memory holds them now.
__device__ inline void load_now(const Partials& partials, int part, int row, int component, int quad,
                                bool wanted, MaxSum<float>& stats, float4& O) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %8, 0;\n"
      "  @p ld.relaxed.gpu.global.v2.f32 {%0,%1}, [%6];\n"
      "  @p ld.relaxed.gpu.global.v4.f32 {%2,%3,%4,%5}, [%7]; }"
      : "+f"(stats.m), "+f"(stats.l), "+f"(O.x), "+f"(O.y), "+f"(O.z), "+f"(O.w)
      : "l"(__cvta_generic_to_global(partials.statistics(part, row, quad))),
        "l"(__cvta_generic_to_global(partials.payload(part, row, component))), "r"(int{wanted})
      : "memory");
}

/// Puts one quad of a partial into scratch, where another block may be waiting for it, in whole words.
__device__ inline void hand_over(float2* statistics, float4* payload, const MergedQuad& quad) {
  asm volatile(
      "st.relaxed.gpu.global.v2.f32 [%0], {%2,%3};\n"
      "st.relaxed.gpu.global.v4.f32 [%1], {%4,%5,%6,%7};" ::"l"(__cvta_generic_to_global(statistics)),
      "l"(__cvta_generic_to_global(payload)), "f"(quad.stats.m), "f"(quad.stats.l), "f"(quad.O.x),
      "f"(quad.O.y), "f"(quad.O.z), "f"(quad.O.w)
      : "memory");
}

/// Parts first … first + count − 1, at most kMergeWidth of them, of one quad. Waits for those on their way. An empty part
/// holds O = 0.
__device__ inline MergedQuad merge_parts(const Partials& partials, int first, int count, int row,
                                         int component, int quad) {
  using Flat = FlatMaxSum<float, DeviceBase2>;
  MaxSum<float> stats[kMergeWidth];
  float4 O[kMergeWidth];
#pragma unroll
  for (int i = 0; i < kMergeWidth; ++i) {
    stats[i] = MlUnnormalised<float, DeviceBase2>::empty();
    O[i] = {};
  }
  if (partials.where == PartialsIn::scratch) {
    while (true) {
#pragma unroll
      for (int i = 0; i < kMergeWidth; ++i)
        load_now(partials, first + i, row, component, quad, i < count, stats[i], O[i]);
      bool absent = false;
#pragma unroll
      for (int i = 0; i < kMergeWidth; ++i)
        absent |= is_absent(stats[i].m) | is_absent(stats[i].l) | is_absent(O[i].x) | is_absent(O[i].y) |
                  is_absent(O[i].z) | is_absent(O[i].w);
      if (!absent) break;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kMergeWidth; ++i)
      if (i < count) {
        const float2 two = *partials.statistics(first + i, row, quad);
        stats[i] = {two.x, two.y};
        O[i] = *partials.payload(first + i, row, component);
      }
  }
  const Flat merged = Flat::over(stats, kMergeWidth);
  float4 sum = {};
#pragma unroll
  for (int i = 0; i < kMergeWidth; ++i) {
    const float weight = merged.weight(stats[i].m);
    sum.x = fused_multiply_add(weight, O[i].x, sum.x);
    sum.y = fused_multiply_add(weight, O[i].y, sum.y);
    sum.z = fused_multiply_add(weight, O[i].z, sum.z);
    sum.w = fused_multiply_add(weight, O[i].w, sum.w);
  }
  return {merged.stats(), sum};
}

/// Makes parts of scratch absent again, for the next launch.
__device__ inline void forget_parts(const Partials& partials, int first, int count, int row, int component,
                                    int quad) {
  const float none = __uint_as_float(kAbsent);
#pragma unroll
  for (int i = 0; i < kMergeWidth; ++i)
    if (i < count) {
      *partials.statistics(first + i, row, quad) = {none, none};
      *partials.payload(first + i, row, component) = {none, none, none, none};
    }
}

/// Four neighbouring outputs, rounded once.
__device__ inline void store_four(const DeviceProblem& p, std::int64_t index, float4 o) {
  if (p.o_type == DType::f32) {
    *reinterpret_cast<float4*>(static_cast<float*>(p.o) + index) = o;
  } else {
    const bool is_half = p.o_type == DType::f16;
    *reinterpret_cast<uint2*>(static_cast<__half*>(p.o) + index) =
        is_half ? uint2{pack<__half>(o.x, o.y), pack<__half>(o.z, o.w)}
                : uint2{pack<__nv_bfloat16>(o.x, o.y), pack<__nv_bfloat16>(o.z, o.w)};
  }
}

/// Adds the sink, divides by l and stores four finished components of row `index`, and its LSE with component 0.
__device__ inline void store_row(const DeviceProblem& p, std::int64_t index, std::int32_t q_head,
                                 int component, const MergedQuad& quad) {
  using Form = MlUnnormalised<float, DeviceBase2>;
  const auto with_sink = merge_sink<Form>(p, q_head, quad.stats);
  const float factor = p.v_scale * Form::output(with_sink.stats, with_sink.blend(1.0f, 0.0f));
  store_four(p, index * p.v_head_dim + component,
             {quad.O.x * factor, quad.O.y * factor, quad.O.z * factor, quad.O.w * factor});
  if (component == 0) store_lse(p, index, lse_log2(p, quad.stats, with_sink.stats));
}

}  // namespace fdlab

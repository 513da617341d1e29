// Partials (m, l, O) of several rows become one, wherever they lie: a block's warps' in shared memory, its cluster's, or all
// splits' in global memory. Always in the order of the parts.
#pragma once

#include "core/math/flat.h"
#include "cuda/async.h"
#include "cuda/score.h"

namespace fdlab {

/// Partials of some rows. A quad is four neighbouring components of a row, counted through all rows.
struct Partials {
  const float* O;
  const MaxSum<float>* stats;
  int O_part, O_row;                      ///< strides in floats
  int stats_part, stats_row, stats_quad;  ///< strides in statistics
  bool in_cluster;  ///< part i lies at the same place of the cluster's block i; part strides are 0

  __device__ const float4* payload(int part, int row, int component) const {
    const float* first = in_cluster ? block_address(O, part) : O + std::int64_t{1} * part * O_part;
    return reinterpret_cast<const float4*>(first + row * O_row + component);
  }
  __device__ const float2* statistics(int part, int row, int quad) const {
    const MaxSum<float>* first =
        in_cluster ? block_address(stats, part) : stats + std::int64_t{1} * part * stats_part;
    return reinterpret_cast<const float2*>(first + row * stats_row + quad * stats_quad);
  }
};

/// Statistics and four components of a union.
struct MergedQuad {
  MaxSum<float> stats;
  float4 O;
};

inline constexpr int kMergeWidth =
    8;  ///< parts that a thread merges at once, all their loads in flight together

/// Parts first … first + count − 1, at most kMergeWidth of them. Every part was written; an empty one holds O = 0.
__device__ inline MergedQuad merge_parts(const Partials& partials, int first, int count, int row,
                                         int component, int quad) {
  using Flat = FlatMaxSum<float, DeviceBase2>;
  MaxSum<float> stats[kMergeWidth];
  float4 O[kMergeWidth];
#pragma unroll
  for (int i = 0; i < kMergeWidth; ++i) {
    stats[i] = MlUnnormalised<float, DeviceBase2>::empty();
    O[i] = {};
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

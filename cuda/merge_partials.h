// Partials (m, l, O) of several rows become one, wherever they lie: a block's warps' in shared memory, its cluster's, or all
// splits' in global memory. Always in the same order. The code is small on purpose: it runs once a launch, and at a few
// microseconds a call, fetching instructions is what costs.
#pragma once

#include "core/math/flat.h"
#include "cuda/async.h"
#include "cuda/score.h"

namespace fdlab {

/// What a word of scratch holds until something is written to it: a NaN that arithmetic never yields (PTX ISA: the NaN results of
/// f32 instructions are 0x7fffffff). So a partial itself tells its reader that it has arrived, without a flag and a fence.
inline constexpr std::uint32_t kAbsent = 0xffffffff;

__device__ inline bool is_absent(float x) { return __float_as_uint(x) == kAbsent; }

/// Four neighbouring components of a row, a quad, of some set of keys, with the row's statistics.
struct MergedQuad {
  MaxSum<float> stats;
  float4 O;
};

__device__ inline float4 add_scaled(float weight, float4 v, float4 sum) {
  return {fused_multiply_add(weight, v.x, sum.x), fused_multiply_add(weight, v.y, sum.y),
          fused_multiply_add(weight, v.z, sum.z), fused_multiply_add(weight, v.w, sum.w)};
}

/// Partials of some rows in this block's shared memory.
struct BlockPartials {
  float* O;
  MaxSum<float>* stats;
  int O_part, O_row;  ///< strides in floats
  int stats_part;     ///< stride in statistics
  int count;

  /// A quad of the union, by core's flat merge. An empty part holds O = 0.
  __device__ MergedQuad merged(int row, int component) const {
    FlatMaxSum<float, DeviceBase2> total{kMinusInfinity, 0};
#pragma unroll 4
    for (int part = 0; part < count; ++part) total.m = larger(total.m, stats[part * stats_part + row].m);
    float4 sum = {};
#pragma unroll 4
    for (int part = 0; part < count; ++part) {
      const MaxSum<float> mine = stats[part * stats_part + row];
      const float weight = total.weight(mine.m);
      total.l = fused_multiply_add(weight, mine.l, total.l);
      sum = add_scaled(weight, *reinterpret_cast<const float4*>(O + part * O_part + row * O_row + component),
                       sum);
    }
    return {total.stats(), sum};
  }
};

/// Partials from elsewhere that a thread merges at once, all their loads in flight together; where there are few, less code.
inline constexpr int kManyWidth = 8, kFewWidth = 4, kFewSplits = 4 * kFewWidth;

/// One quad of kWidth partials. A place without a partial holds an empty one.
template <int kWidth>
struct QuadParts {
  MaxSum<float> stats[kWidth];
  float4 O[kWidth];

  __device__ QuadParts() {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      stats[i] = MlUnnormalised<float, DeviceBase2>::empty();
      O[i] = {};
    }
  }
  __device__ MergedQuad merged() const {
    const auto flat = FlatMaxSum<float, DeviceBase2>::over(stats, kWidth);
    float4 sum = {};
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum = add_scaled(flat.weight(stats[i].m), O[i], sum);
    return {flat.stats(), sum};
  }
  __device__ bool any_absent() const {
    bool absent = false;
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      absent |= is_absent(stats[i].m) | is_absent(stats[i].l) | is_absent(O[i].x) | is_absent(O[i].y) |
                is_absent(O[i].z) | is_absent(O[i].w);
    return absent;
  }
};

/// The union of the quads that neighbouring lanes hold, 1, 2, 4 … 32 of them, in each: core's flat merge.
__device__ inline MergedQuad merge_lanes(const MergedQuad& mine, int lanes) {
  FlatMaxSum<float, DeviceBase2> total{mine.stats.m, 0};
#pragma unroll 1
  for (int distance = 1; distance < lanes; distance *= 2)
    total.m = larger(total.m, __shfl_xor_sync(~0u, total.m, distance));
  const float weight = total.weight(mine.stats.m);
  total.l = weight * mine.stats.l;
  float4 O{weight * mine.O.x, weight * mine.O.y, weight * mine.O.z, weight * mine.O.w};
#pragma unroll 1
  for (int distance = 1; distance < lanes; distance *= 2) {
    total.l += __shfl_xor_sync(~0u, total.l, distance);
    O.x += __shfl_xor_sync(~0u, O.x, distance);
    O.y += __shfl_xor_sync(~0u, O.y, distance);
    O.z += __shfl_xor_sync(~0u, O.z, distance);
    O.w += __shfl_xor_sync(~0u, O.w, distance);
  }
  return {total.stats(), O};
}

/// A quad that lies at the same place in the shared memory of the cluster's blocks first … first + count − 1, at most kWidth.
template <int kWidth>
__device__ QuadParts<kWidth> read_cluster(MaxSum<float>* stats, float4* O, int first, int count) {
  QuadParts<kWidth> parts;
#pragma unroll
  for (int i = 0; i < kWidth; ++i)
    if (i < count) {
      parts.stats[i] = *block_address(stats, first + i);
      parts.O[i] = *block_address(O, first + i);
    }
  return parts;
}

/// Quads of partials in scratch, in global memory: statistics and payload of (split, quad) lie at the same index.
struct ScratchPartials {
  float2* stats;
  float4* O;

  __device__ ScratchPartials from(std::int64_t index) const { return {stats + index, O + index}; }

  /// Puts one quad where another block may be waiting for it, in whole words.
  __device__ void hand_over(const MergedQuad& quad) const {
    asm volatile(
        "st.relaxed.gpu.global.v2.f32 [%0], {%2,%3};\n"
        "st.relaxed.gpu.global.v4.f32 [%1], {%4,%5,%6,%7};" ::"l"(__cvta_generic_to_global(stats)),
        "l"(__cvta_generic_to_global(O)), "f"(quad.stats.m), "f"(quad.stats.l), "f"(quad.O.x), "f"(quad.O.y),
        "f"(quad.O.z), "f"(quad.O.w)
        : "memory");
  }

  /// The first quads of `count` partials kStride apart, at most kWidth, once all have arrived. Makes them absent again for
  /// the next launch.
  template <int kWidth, int kStride>
  __device__ QuadParts<kWidth> take(int count) const {
    QuadParts<kWidth> parts;
    do {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) from(i * kStride).load_now(i < count, parts.stats[i], parts.O[i]);
    } while (parts.any_absent());
    const float none = __uint_as_float(kAbsent);
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      if (i < count) {
        stats[i * kStride] = {none, none};
        O[i * kStride] = {none, none, none, none};
      }
    return parts;
  }

 private:
  /// One quad as the memory holds it now.
  __device__ void load_now(bool wanted, MaxSum<float>& to_stats, float4& to_O) const {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %8, 0;\n"
        "  @p ld.relaxed.gpu.global.v2.f32 {%0,%1}, [%6];\n"
        "  @p ld.relaxed.gpu.global.v4.f32 {%2,%3,%4,%5}, [%7]; }"
        : "+f"(to_stats.m), "+f"(to_stats.l), "+f"(to_O.x), "+f"(to_O.y), "+f"(to_O.z), "+f"(to_O.w)
        : "l"(__cvta_generic_to_global(stats)), "l"(__cvta_generic_to_global(O)), "r"(int{wanted})
        : "memory");
  }
};

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

// A warp folds keys with wide loads: kLanes neighbouring lanes share a key, each holding kChunks pieces of kVec components of
// q, k, v and O. A row's 16-byte pieces are read by neighbouring lanes, four keys are in flight per group of lanes.
#pragma once

#include "core/math/online.h"
#include "cuda/score.h"

namespace fdlab {

template <class T, int kVec, int kLanes, int kChunks>
class VectorFold {
 public:
  using Form = MlUnnormalised<float, DeviceBase2>;
  static constexpr int kGroups = 32 / kLanes;      ///< keys side by side in a warp
  static constexpr int kKeys = kVec == 1 ? 1 : 4;  ///< keys in flight per group
  static constexpr int kStep = kGroups * kKeys;

  __device__ VectorFold(const DeviceProblem& p, Row row)
      : p_(p),
        row_(row),
        kv_head_(row.q_head / p.group()),
        score_(RowScore::of(p, row.q_head, kv_len_of(p, row.batch) - p.q_len + row.q)) {
    const std::int64_t offset = p.q.offset(row.batch, row.q_head, row.q);
    for_components([&](int i, int e, int c) {
      q_[i][e] = c < p.head_dim ? load_as_float(p.q.data, p.q.type, offset + c) : 0.0f;
    });
  }

  /// Keys first … first + kStep − 1 that lie before `end`.
  __device__ void fold(std::int32_t first, std::int32_t end) {
    T k[kKeys][kChunks][kVec], v[kKeys][kChunks][kVec];
    float score[kKeys];
#pragma unroll
    for (int n = 0; n < kKeys; ++n) {
      const std::int32_t key = key_at(first, n), readable = key < end ? key : end - 1;
      load(p_.k, p_.head_dim, readable, k[n]);
      load(p_.v, p_.v_head_dim, readable, v[n]);
    }
    float largest = kMinusInfinity;
#pragma unroll
    for (int n = 0; n < kKeys; ++n) {
      float dot = 0;
      for_components([&](int i, int e, int c) {
        if (c < p_.head_dim) dot = fused_multiply_add(q_[i][e], to_float(k[n][i][e]), dot);
      });
#pragma unroll
      for (int distance = 1; distance < kLanes; distance *= 2) dot += __shfl_xor_sync(~0u, dot, distance);
      score[n] = key_at(first, n) < end ? score_(p_, dot, key_at(first, n)) : kMinusInfinity;
      largest = larger(largest, score[n]);
    }
    const auto online = OnlineBlock<float, DeviceBase2>::begin(stats_.m, largest);
    stats_ = {online.m, online.rescale * stats_.l};
    for_components([&](int i, int e, int) { O_[i][e] *= online.rescale; });
#pragma unroll
    for (int n = 0; n < kKeys; ++n) {
      if (key_at(first, n) >= end) continue;  // what was read there is another key
      const float weight = online.weight(score[n]);
      stats_.l += weight;
      for_components([&](int i, int e, int c) {
        if (c < p_.v_head_dim) O_[i][e] = fused_multiply_add(weight, to_float(v[n][i][e]), O_[i][e]);
      });
    }
  }

  /// The groups of lanes become one, in lanes 0 … kLanes − 1.
  __device__ void merge_groups() {
#pragma unroll
    for (int distance = kLanes; distance < 32; distance *= 2) {
      const MaxSum<float> other{__shfl_down_sync(~0u, stats_.m, distance),
                                __shfl_down_sync(~0u, stats_.l, distance)};
      const auto merged = Form::merge(stats_, other);
      for_components([&](int i, int e, int) {
        O_[i][e] = merged.blend(O_[i][e], __shfl_down_sync(~0u, O_[i][e], distance));
      });
      stats_ = merged.stats;
    }
  }

  /// After merge_groups: statistics to one place, O to (v_head_dim).
  __device__ void store(MaxSum<float>* stats, float* payload) const {
    if (threadIdx.x % 32 >= kLanes) return;
    if (threadIdx.x % 32 == 0) *stats = stats_;
    for_components([&](int i, int e, int c) {
      if (c < p_.v_head_dim) payload[c] = O_[i][e];
    });
  }

 private:
  template <class F>
  __device__ static void for_components(F&& f) {
    const int lane = threadIdx.x % kLanes;
#pragma unroll
    for (int i = 0; i < kChunks; ++i)
#pragma unroll
      for (int e = 0; e < kVec; ++e) f(i, e, (i * kLanes + lane) * kVec + e);
  }
  __device__ static std::int32_t key_at(std::int32_t first, int n) {
    return first + n * kGroups + static_cast<int>(threadIdx.x % 32) / kLanes;
  }

  __device__ void load(const DeviceTensor& t, int dim, std::int32_t key, T (&to)[kChunks][kVec]) const {
    const T* row = static_cast<const T*>(t.data) + token_offset(p_, t, row_.batch, kv_head_, key);
    const int lane = threadIdx.x % kLanes;
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const int c = (i * kLanes + lane) * kVec;
      if (c >= dim) continue;
      if constexpr (kVec == 1) to[i][0] = row[c];
      else *reinterpret_cast<uint4*>(to[i]) = *reinterpret_cast<const uint4*>(row + c);
    }
  }

  const DeviceProblem& p_;
  Row row_;
  std::int32_t kv_head_;
  RowScore score_;
  float q_[kChunks][kVec];
  float O_[kChunks][kVec] = {};
  MaxSum<float> stats_ = Form::empty();
};

}  // namespace fdlab

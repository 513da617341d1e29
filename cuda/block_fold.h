// A block folds a run of keys into (m, l, O) for one query row, the plain way: thread t computes the score of the t-th
// key of a tile, then gathers payload components t, t + kBlock, …
#pragma once

#include "core/math/online.h"
#include "cuda/score.h"

namespace fdlab {

inline constexpr int kBlock = 128;
inline constexpr int kMaxHeadDim = 512;  ///< of the kernels that take any head_dim
inline constexpr int kComponents = kMaxHeadDim / kBlock;

struct BlockPartial {
  MaxSum<float> stats = MlUnnormalised<float, DeviceBase2>::empty();  ///< base 2, the same in every thread
  float O[kComponents] = {};                                          ///< components threadIdx.x + i·kBlock

  __device__ float output(int i) const { return MlUnnormalised<float, DeviceBase2>::output(stats, O[i]); }
};

template <class T>
__device__ float dot_with_query(const float* q, const T* k, int head_dim) {
  float dot = 0;
  for (int c = 0; c < head_dim; ++c) dot = fused_multiply_add(q[c], to_float(k[c]), dot);
  return dot;
}

/// keys: within what the row may see. Every thread of the block calls.
template <class T>
__device__ BlockPartial fold_keys(const DeviceProblem& p, Row row, KeySpan keys) {
  __shared__ float q[kMaxHeadDim];
  __shared__ float scores[kBlock];
  const T* k = static_cast<const T*>(p.k.data);
  const T* v = static_cast<const T*>(p.v.data);
  const int kv_head = row.q_head / p.group(), t = threadIdx.x;
  const std::int64_t q_offset = p.q.offset(row.batch, row.q_head, row.q);
  for (int c = t; c < p.head_dim; c += kBlock) q[c] = load_as_float(p.q.data, p.q.type, q_offset + c);
  const RowScore score = RowScore::of(p, row.q_head, kv_len_of(p, row.batch) - p.q_len + row.q);

  BlockPartial partial;
  for (std::int32_t first = keys.begin; first < keys.end; first += kBlock) {
    const int count = keys.end - first < kBlock ? keys.end - first : kBlock;
    __syncthreads();  // q is there; the tile before is read
    const T* key = k + token_offset(p, p.k, row.batch, kv_head, first + (t < count ? t : 0));
    scores[t] = t < count ? score(p, dot_with_query(q, key, p.head_dim), first + t) : kMinusInfinity;
    __syncthreads();

    float tile_max = kMinusInfinity;
    for (int j = 0; j < count; ++j) tile_max = larger(tile_max, scores[j]);
    const auto online = OnlineBlock<float, DeviceBase2>::begin(partial.stats.m, tile_max);
    partial.stats = {online.m, online.rescale * partial.stats.l};
    for (float& O : partial.O) O *= online.rescale;

    for (int j = 0; j < count; ++j) {
      const float weight = online.weight(scores[j]);
      partial.stats.l += weight;
      const T* value = v + token_offset(p, p.v, row.batch, kv_head, first + j);
      for (int i = 0; i < kComponents; ++i) {
        const int c = t + i * kBlock;
        if (c < p.v_head_dim) partial.O[i] = fused_multiply_add(weight, to_float(value[c]), partial.O[i]);
      }
    }
  }
  return partial;
}

}  // namespace fdlab

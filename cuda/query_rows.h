// The query rows of one KV head, group · q_len of them, of which a block serves a few.
#pragma once

#include "cuda/warp_fold.h"

namespace fdlab {

class QueryRows {
 public:
  /// first: the block's first row among the KV head's.
  __device__ QueryRows(const DeviceProblem& p, int batch, int kv_head, int group, int first)
      : p_(p), batch_(batch), first_head_(kv_head * group), first_(first), left_(group * p.q_len - first) {}

  /// What each row is and sees; one thread per row.
  template <int kRows>
  __device__ void describe(int kv_len, BlockRows& rows) const {
    const int row = threadIdx.x;
    if (row >= kRows) return;
    const Place at = place(min(row, left_ - 1));
    const KeySpan seen = visible_keys(p_, kv_len, at.q);
    rows.count = min(left_, kRows);
    rows.begin[row] = seen.begin;
    rows.end[row] = seen.end;
    rows.q_head[row] = at.q_head;
    rows.index[row] = (batch_ * p_.q_heads + at.q_head) * p_.q_len + at.q;
    rows.score[row] = RowScore::of(p_, at.q_head, kv_len - p_.q_len + at.q);
  }

  /// Brings the rows into the L2 cache: a hint, which may come before they are written.
  template <int kRows>
  __device__ void expect() const {
    const int row = threadIdx.x / 4;
    if (row >= min(left_, kRows)) return;
    const Place at = place(row);
    const int element = p_.q.type == DType::f32 ? 4 : 2, byte = threadIdx.x % 4 * 128;
    if (byte >= p_.head_dim * element) return;
    prefetch_to_cache(static_cast<const char*>(p_.q.data) + p_.q.offset(batch_, at.q_head, at.q) * element +
                      byte);
  }

  /// The i-th 16 bytes of rows of kDepth components, as Number; zero beyond kHeadDim and beyond the last row.
  template <class Number, int kHeadDim, int kDepth>
  __device__ uint4 fetch(int i) const {
    constexpr int kEach = 16 / sizeof(Number), kPerRow = kDepth / kEach;
    const int row = i / kPerRow, component = i % kPerRow * kEach;
    if (row >= left_ || component >= kHeadDim) return {};
    const Place at = place(row);
    const std::int64_t offset = p_.q.offset(batch_, at.q_head, at.q) + component;
    if constexpr (kEach == 4) return load_four(offset);
    else return load_eight<Number>(offset);
  }

  /// Writes the rows into shared memory, `pitch` bytes apart. first: what this thread fetched of place threadIdx.x.
  template <class Number, int kHeadDim, int kDepth, int kRows>
  __device__ void stage(uint4 first, char* to, int pitch) const {
    constexpr int kPerRow = kDepth * sizeof(Number) / 16;
#pragma unroll 1
    for (int i = threadIdx.x; i < kRows * kPerRow; i += blockDim.x) {
      const uint4 part = i < blockDim.x ? first : fetch<Number, kHeadDim, kDepth>(i);
      *reinterpret_cast<uint4*>(to + i / kPerRow * pitch + i % kPerRow * 16) = part;
    }
  }

 private:
  struct Place {
    int q_head, q;
  };
  __device__ Place place(int row) const {
    if (p_.q_len == 1) return {first_head_ + first_ + row, 0};
    const int head = (first_ + row) / p_.q_len;
    return {first_head_ + head, first_ + row - head * p_.q_len};
  }

  __device__ uint4 load_four(std::int64_t offset) const {
    if (p_.q.type == DType::f32)
      return *reinterpret_cast<const uint4*>(static_cast<const float*>(p_.q.data) + offset);
    const auto as_float = [&](int i) {
      return __float_as_uint(load_as_float(p_.q.data, p_.q.type, offset + i));
    };
    return {as_float(0), as_float(1), as_float(2), as_float(3)};
  }

  template <class Number>
  __device__ uint4 load_eight(std::int64_t offset) const {
    constexpr DType kSame = std::is_same_v<Number, __half> ? DType::f16 : DType::bf16;
    if (p_.q.type == kSame)
      return *reinterpret_cast<const uint4*>(static_cast<const Number*>(p_.q.data) + offset);
    if (p_.q.type == DType::f32) {
      const float4* q = reinterpret_cast<const float4*>(static_cast<const float*>(p_.q.data) + offset);
      const float4 a = q[0], b = q[1];
      return {pack<Number>(a.x, a.y), pack<Number>(a.z, a.w), pack<Number>(b.x, b.y), pack<Number>(b.z, b.w)};
    }
    using Other = std::conditional_t<kSame == DType::f16, __nv_bfloat16, __half>;
    const uint4 raw = *reinterpret_cast<const uint4*>(static_cast<const Other*>(p_.q.data) + offset);
    const Other* x = reinterpret_cast<const Other*>(&raw);
    const auto two = [&](int i) { return pack<Number>(to_float(x[i]), to_float(x[i + 1])); };
    return {two(0), two(2), two(4), two(6)};
  }

  const DeviceProblem& p_;
  int batch_, first_head_, first_, left_;
};

}  // namespace fdlab

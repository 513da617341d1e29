// The query rows of one KV head, group · q_len of them, of which a block serves a few.
#pragma once

#include "cuda/warp_fold.h"

namespace fdlab {

/// The first two parts that a thread brings, and where they lie; null: zeros. A part is as much of the query, as it lies in
/// memory, as becomes 16 bytes of what is multiplied; four numbers of 16 bits fill the first half.
struct QueryParts {
  const char *from, *from_second;
  uint4 first, second;
};

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

  /// Rows of kDepth components as Number are kRows · kDepth · sizeof(Number) / 16 parts; a thread brings every blockDim.x-th.
  template <class Number, int kHeadDim, int kDepth, int kRows>
  __device__ QueryParts locate() const {
    QueryParts parts{};
    parts.from = address<Number, kHeadDim, kDepth>(threadIdx.x);
    if (has_second<Number, kDepth, kRows>())
      parts.from_second = address<Number, kHeadDim, kDepth>(threadIdx.x + blockDim.x);
    return parts;
  }
  template <class Number, int kDepth, int kRows>
  __device__ void fetch(QueryParts& parts) const {
    parts.first = load<Number>(parts.from);
    if (has_second<Number, kDepth, kRows>()) parts.second = load<Number>(parts.from_second);
  }

  /// Writes the rows into shared memory, `pitch` bytes apart. parts: as fetched.
  template <class Number, int kHeadDim, int kDepth, int kRows>
  __device__ void stage(const QueryParts& parts, char* to, int pitch) const {
    constexpr int kPerRow = kDepth * sizeof(Number) / 16;
    uint4 part = parts.first;
#pragma unroll 1
    for (int i = threadIdx.x; i < kRows * kPerRow; i += blockDim.x) {
      if (i >= 2 * blockDim.x) part = load<Number>(address<Number, kHeadDim, kDepth>(i));
      *reinterpret_cast<uint4*>(to + i / kPerRow * pitch + i % kPerRow * 16) = convert<Number>(part);
      part = parts.second;
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

  template <class Number, int kDepth, int kRows>
  __device__ static bool has_second() {
    return blockDim.x < kRows * kDepth * sizeof(Number) / 16;
  }

  /// Null beyond kHeadDim and beyond the last row.
  template <class Number, int kHeadDim, int kDepth>
  __device__ const char* address(int i) const {
    constexpr int kEach = 16 / sizeof(Number), kPerRow = kDepth / kEach;
    const int row = i / kPerRow, component = i % kPerRow * kEach;
    if (row >= left_ || component >= kHeadDim) return nullptr;
    const Place at = place(row);
    return static_cast<const char*>(p_.q.data) +
           (p_.q.offset(batch_, at.q_head, at.q) + component) * element_bytes<Number>();
  }

  /// Bytes of one number of the query; only floats are multiplied with a query of another size.
  template <class Number>
  __device__ int element_bytes() const {
    return std::is_same_v<Number, float> && p_.q.type == DType::f32 ? 4 : 2;
  }

  template <class Number>
  __device__ uint4 load(const char* from) const {
    if (!from) return {};
    if (!std::is_same_v<Number, float> || p_.q.type == DType::f32)
      return *reinterpret_cast<const uint4*>(from);
    const uint2 four = *reinterpret_cast<const uint2*>(from);
    return {four.x, four.y, 0, 0};
  }

  /// Sixteen bytes of Number. make_plan sends only queries here whose type Number holds.
  template <class Number>
  __device__ uint4 convert(uint4 part) const {
    if constexpr (std::is_same_v<Number, float>)
      return p_.q.type == DType::f32 ? part : four_floats(part.x, part.y);
    if constexpr (std::is_same_v<Number, __half>)
      if (p_.q.type == DType::bf16) return eight_halves(part);
    return part;
  }
  __device__ uint4 four_floats(std::uint32_t low, std::uint32_t high) const {
    const bool is_half = p_.q.type == DType::f16;
    const auto bits = [&](std::uint32_t pair, bool upper) {
      const float2 both = is_half ? __half22float2(*reinterpret_cast<const __half2*>(&pair))
                                  : __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
      return __float_as_uint(upper ? both.y : both.x);
    };
    return {bits(low, false), bits(low, true), bits(high, false), bits(high, true)};
  }
  /// From bf16, where an e4m3 cache is multiplied as f16.
  __device__ static uint4 eight_halves(uint4 raw) {
    const auto two = [](std::uint32_t pair) {
      const float2 both = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
      return pack<__half>(both.x, both.y);
    };
    return {two(raw.x), two(raw.y), two(raw.z), two(raw.w)};
  }

  const DeviceProblem& p_;
  int batch_, first_head_, first_, left_;
};

}  // namespace fdlab

// Turns: what is done with the rows of four neighbouring keys before the next four. Included by kernel.cpp alone, as
// simd.h is. A turn of K gives the four keys' scores, a turn of V adds the four values to O, both for all query rows that
// share the KV head; what the arithmetic waits for is memory, so a turn also says which rows are wanted later.
#pragma once

#include <cstdint>

#include "cpu/block_walk.h"
#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace fdlab {
namespace {

#define FD_INLINE inline __attribute__((always_inline))
#define FD_INLINED __attribute__((always_inline))  // of a lambda

inline constexpr int kKeys = 4;

/// Rows of four neighbouring keys, of K or of V.
template <class Read>
struct FourRows {
  using Element = typename Read::Element;
  static constexpr std::int64_t kSize = sizeof(Element);

  /// Rows are asked for this many rows before their turn. Not a multiple of kKeys: where what is asked for changes from K
  /// to V just when what is used does, the memory is a quarter slower (cpu/MEASURED.md).
  static constexpr std::int64_t kRowsAhead = kSize == 4 ? 5 : 10;

  const Element* row[kKeys];
  std::int64_t dim, stride;  ///< components in a row, elements from a row to the next
  bool keeps;                ///< whether what is asked for is to be kept in the caches

  FD_INLINE FloatVec load(int j, std::int64_t c, auto... count) const {
    return Read::load(row[j] + c, count...);
  }

  /// Asks for the part of row j + kRowsAhead that takes as long to use as a vector of all four rows, from the component
  /// kKeys · c on.
  FD_INLINE void ask(int j, std::int64_t c) const {
    constexpr std::int64_t kBytes = kKeys * kLanes * kSize;
    if (kBytes < kLine && kKeys * c * kSize % kLine != 0) return;
    const std::int64_t first = (kRowsAhead + j) * stride + kKeys * c;
    if (keeps) ask_lines<kBytes, 3>(first);
    else ask_lines<kBytes, 0>(first);
  }

  /// Asks for a whole row of kComponents, far ahead.
  template <std::int64_t kComponents>
  FD_INLINE void ask_row(int j) const {
    constexpr std::int64_t kFarAhead = 26;
    ask_lines<kComponents * kSize, 2>((kFarAhead + j) * stride);
  }

 private:
  static constexpr std::int64_t kLine = 64;

  /// The lines of kBytes from an element of row 0 on. They may lie past the end: only the cache looks there.
  template <std::int64_t kBytes, int kLocality>
  FD_INLINE void ask_lines(std::int64_t element) const {
    const std::uintptr_t from =
        reinterpret_cast<std::uintptr_t>(row[0]) + static_cast<std::uintptr_t>(element * kSize);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kBytes || i == 0; i += kLine)
      __builtin_prefetch(reinterpret_cast<const void*>(from + static_cast<std::uintptr_t>(i)), 0, kLocality);
  }
};

/// step(c) for each vector of `dim` components and step(c, count) for what is left over, while the rows `asked` ask for
/// theirs: one row further on after the other.
FD_INLINE void over_components(std::int64_t dim, const auto& step, const auto&... asked) {
  const std::int64_t end = dim / kLanes * kLanes, quarter = end / (kKeys * kLanes) * kLanes;
  std::int64_t c = 0;
  if constexpr (sizeof...(asked) > 0) {
    for (int j = 0; j < kKeys; ++j)
      for (std::int64_t i = 0; i < quarter; i += kLanes, c += kLanes) {
        step(c);
        (asked.ask(j, i), ...);
      }
  }
  for (; c < end; c += kLanes) step(c);
  if (c < dim) step(c, dim - c);
}

/// Adds the blocks of four lanes together and stores the four sums.
template <class Tag>
FD_INLINE void store_added_blocks(Tag tag, hn::Vec<Tag> x, float* out) {
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    hn::StoreU(x, tag, out);
  } else {
    const hn::Half<Tag> half;
    store_added_blocks(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)), out);
  }
}

/// The four vectors' lane sums, as four neighbouring floats.
FD_INLINE void store_sums(const FloatVec (&a)[kKeys], float* out) {
  const hn::Repartition<double, FloatTag> pairs;
  const auto add_halves = [&](FloatVec x, FloatVec y) {
    return hn::BitCast(pairs,
                       hn::Add(hn::InterleaveLower(kFloats, x, y), hn::InterleaveUpper(kFloats, x, y)));
  };
  const auto ab = add_halves(a[0], a[1]), cd = add_halves(a[2], a[3]);
  const FloatVec sums = hn::Add(hn::BitCast(kFloats, hn::InterleaveLower(pairs, ab, cd)),
                                hn::BitCast(kFloats, hn::InterleaveUpper(pairs, ab, cd)));
  store_added_blocks(kFloats, sums, out);
}

/// A vector for each query row and each of the four keys.
template <int kRows>
using Table = FloatVec[kRows][kKeys];

/// sums += q·k of four keys, component by component, from c on. q: (kRows, padded(k.dim))
template <class Read, int kRows>
FD_INLINE void add_products(const FourRows<Read>& k, const float* q, Table<kRows>& sums, std::int64_t c,
                            auto... count) {
  const FloatVec key[kKeys] = {k.load(0, c, count...), k.load(1, c, count...), k.load(2, c, count...),
                               k.load(3, c, count...)};
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const FloatVec q_part = hn::LoadU(kFloats, q + r * padded(k.dim) + c);
#pragma GCC unroll 4
    for (int j = 0; j < kKeys; ++j) sums[r][j] = hn::MulAdd(key[j], q_part, sums[r][j]);
  }
}

/// O += p V of four keys, from component c on. o: (kRows, padded(v.dim))
template <class Read, int kRows>
FD_INLINE void add_values(const FourRows<Read>& v, const Table<kRows>& p, float* o, std::int64_t c,
                          auto... count) {
  const FloatVec value[kKeys] = {v.load(0, c, count...), v.load(1, c, count...), v.load(2, c, count...),
                                 v.load(3, c, count...)};
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    float* const out = o + r * padded(v.dim) + c;
    FloatVec sum = hn::LoadU(kFloats, out);
#pragma GCC unroll 4
    for (int j = 0; j < kKeys; ++j) sum = hn::MulAdd(value[j], p[r][j], sum);
    hn::StoreU(sum, kFloats, out);
  }
}

template <int kRows>
FD_INLINE void clear(Table<kRows>& sums) {
  for (auto& row : sums)
    for (FloatVec& sum : row) sum = hn::Zero(kFloats);
}

/// scores: (kRows, kBlockKeys), four of each.
template <int kRows>
FD_INLINE void store(const Table<kRows>& sums, float* scores) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) store_sums(sums[r], scores + r * kBlockKeys);
}

/// weights: (kRows, kBlockKeys), four of each.
template <int kRows>
FD_INLINE void spread(const float* weights, Table<kRows>& p) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < kKeys; ++j) p[r][j] = hn::Set(kFloats, weights[r * kBlockKeys + j]);
}

/// Scores of four keys. asked: the same rows, in the first of the turns that use them.
template <class Read, int kRows>
FD_INLINE void score_turn(const FourRows<Read>& k, const float* q, float* scores, const auto&... asked) {
  Table<kRows> sums;
  clear<kRows>(sums);
  over_components(
      k.dim, [&](auto... place) FD_INLINED { add_products<Read, kRows>(k, q, sums, place...); }, asked...);
  store<kRows>(sums, scores);
}

template <class Read, int kRows>
FD_INLINE void value_turn(const FourRows<Read>& v, const float* weights, float* o, const auto&... asked) {
  Table<kRows> p;
  spread<kRows>(weights, p);
  over_components(
      v.dim, [&](auto... place) FD_INLINED { add_values<Read, kRows>(v, p, o, place...); }, asked...);
}

/// One query row whose q and O stay in registers: a row of K, a row of V. The hardware sees two plain streams and
/// fetches them by itself; only where lines are kept does asking help it.
template <class Read, int kVectors>
struct OneRow {
  FloatVec q[kVectors], o[kVectors];

  /// from_q: null where no row is scored.
  FD_INLINE explicit OneRow(const float* from_q) {
#pragma GCC unroll 8
    for (int c = 0; c < kVectors; ++c) {
      q[c] = from_q ? hn::LoadU(kFloats, from_q + c * kLanes) : hn::Zero(kFloats);
      o[c] = hn::Zero(kFloats);
    }
  }
  FD_INLINE void store_o(float* out) const {
#pragma GCC unroll 16
    for (int c = 0; c < kVectors; ++c) hn::StoreU(o[c], kFloats, out + c * kLanes);
  }
  template <bool kScores, bool kValues>
  FD_INLINE void turn(const FourRows<Read>& k, const FourRows<Read>& v, float* scores, const float* weights) {
    FloatVec sums[kKeys];
#pragma GCC unroll 16
    for (int j = 0; j < kKeys; ++j) {
      if (kScores && k.keeps) k.template ask_row<kVectors * kLanes>(j);
      if (kValues && v.keeps) v.template ask_row<kVectors * kLanes>(j);
      if constexpr (kScores) sums[j] = lane_sums(k, j);
      if constexpr (kValues) add_value(v, j, hn::Set(kFloats, weights[j]));
    }
    if constexpr (kScores) store_sums(sums, scores);
  }

 private:
  FD_INLINE FloatVec lane_sums(const FourRows<Read>& k, int j) const {
    FloatVec even = hn::Zero(kFloats), odd = even;
#pragma GCC unroll 16
    for (int c = 0; c < kVectors; c += 2) {
      even = hn::MulAdd(k.load(j, c * kLanes), q[c], even);
      odd = hn::MulAdd(k.load(j, (c + 1) * kLanes), q[c + 1], odd);
    }
    return hn::Add(even, odd);
  }
  FD_INLINE void add_value(const FourRows<Read>& v, int j, FloatVec p) {
#pragma GCC unroll 16
    for (int c = 0; c < kVectors; ++c) o[c] = hn::MulAdd(v.load(j, c * kLanes), p, o[c]);
  }
};

}  // namespace
}  // namespace fdlab

// A warp folds tiles of 16 keys into (m, l, O) for 8, 16 or 32 query rows of one KV head, on tensor cores.
//
//   Sᵀ (16 keys × 8 rows)      = K · Qᵀ        head_dim/16 matrix instructions, no row wasted at a group of 8
//   Oᵀ (head_dim × 8 rows)    += Vᵀ · Pᵀ       head_dim/16 matrix instructions
//
// A lane (u = lane / 4, j = lane % 4) holds the scores of keys u and u + 8 for rows 2j and 2j + 1, and the same rows' O:
// its maxima, sums and factors are those of two rows, and only the maximum is exchanged, across the eight lanes of equal j.
#pragma once

#include "core/math/online.h"
#include "cuda/kv_ring.h"
#include "cuda/score.h"

namespace fdlab {

inline constexpr int kMaxRows = 32;  ///< query rows of one block

/// The query rows that a block serves, in shared memory.
struct BlockRows {
  std::int32_t count;
  std::uint32_t ticket;                         ///< how many blocks of the unit began before this one
  std::int32_t begin[kMaxRows], end[kMaxRows];  ///< keys each row sees
  std::int32_t index[kMaxRows];                 ///< (batch, q_head, q) in C order
  std::int32_t q_head[kMaxRows];
  RowScore score[kMaxRows];
};

/// 16-bit numbers that a KV type is multiplied as.
template <class T>
struct Multiplied {
  using type = T;
};
template <>
struct Multiplied<__nv_fp8_e4m3> {
  using type = __half;
};

/// How a KV type's tiles become operands. Two 16-bit neighbours fill a register; an e4m3 tile is loaded as if pairs of
/// numbers were one, then taken apart, which permutes head_dim: Q and O follow the same permutation.
template <class T, int kHeadDim>
struct TileOperands {
  static constexpr bool kNarrow = sizeof(T) == 1;
  using Layout = TileLayout<T, kHeadDim>;
  /// Components that q·k runs over: as many as a row in shared memory has, zeros beyond kHeadDim.
  static constexpr int kDepth = Layout::kRowBytes / static_cast<int>(sizeof(T));

  /// Component of Q that register `half` of B holds first, in instruction `step`.
  __device__ static int query_component(int step, int half, int j) {
    return kNarrow ? step / 2 * 32 + 16 * half + 4 * j + step % 2 * 2 : step * 16 + 8 * half + 2 * j;
  }
  /// Component of O in row u (or u + 8 if upper) of instruction `step`.
  __device__ static int output_component(int step, int u, int upper) {
    return kNarrow ? step * 16 + 2 * u + upper : step * 16 + u + 8 * upper;
  }

  /// Offset of unit 2·pair or 2·pair + 1 of a row, as the low bit of `exchange` says.
  __device__ static std::uint32_t address(int row, int exchange, int pair) {
    return row * Layout::kRowBytes + pair / 4 * 128 + (2 * (pair % 4) ^ exchange) * 16;
  }

  /// Calls f(step, A) for the operands of K.
  template <class F>
  __device__ static void for_keys(std::uint32_t tile, F&& f) {
    const int lane = threadIdx.x % 32;
    const int row = lane % 16, exchange = Layout::exchange(row) ^ lane / 16;
#pragma unroll
    for (int i = 0; i < Layout::kRowBytes / 32; ++i) {
      std::uint32_t r[4];
      load_matrices(r, tile + address(row, exchange, i));
      if constexpr (kNarrow) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const std::uint32_t a[4] = {
              halves_from_e4m3(r[0] >> (16 * e) & 0xffff), halves_from_e4m3(r[1] >> (16 * e) & 0xffff),
              halves_from_e4m3(r[2] >> (16 * e) & 0xffff), halves_from_e4m3(r[3] >> (16 * e) & 0xffff)};
          f(2 * i + e, a);
        }
      } else {
        f(i, r);
      }
    }
  }

  /// Calls f(step, A) for the operands of Vᵀ.
  template <class F>
  __device__ static void for_values(std::uint32_t tile, F&& f) {
    const int lane = threadIdx.x % 32;
    const int row = kNarrow ? lane % 16 : lane % 8 + lane / 16 * 8;
    const int unit = kNarrow ? lane / 16 : lane / 8 % 2;
    const int exchange = Layout::exchange(row) ^ unit;
#pragma unroll
    for (int i = 0; i < Layout::kRowBytes / 32; ++i) {
      std::uint32_t r[4];
      load_matrices_transposed(r, tile + Layout::kValues + address(row, exchange, i));
      if constexpr (kNarrow) {
#pragma unroll
        for (int e = 0; e < 2 && 32 * i + 16 * e < kHeadDim; ++e) {
          const std::uint32_t low = __byte_perm(r[2 * e], 0, 0x3120),
                              high = __byte_perm(r[2 * e + 1], 0, 0x3120);
          const std::uint32_t a[4] = {halves_from_e4m3(low & 0xffff), halves_from_e4m3(low >> 16),
                                      halves_from_e4m3(high & 0xffff), halves_from_e4m3(high >> 16)};
          f(2 * i + e, a);
        }
      } else {
        f(i, r);
      }
    }
  }
};

template <class T, int kHeadDim, int kRowTiles>
class WarpFold {
 public:
  using Number = typename Multiplied<T>::type;
  using Operands = TileOperands<T, kHeadDim>;
  using Form = MlUnnormalised<float, DeviceBase2>;
  static constexpr int kKeySteps = Operands::kDepth / 16, kValueSteps = kHeadDim / 16;

  /// q: shared memory address of the block's query rows as Number, `pitch` bytes apart; rows beyond the last are zero.
  __device__ void load_query(const char* q, int pitch) {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
      for (int step = 0; step < kKeySteps; ++step)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          q_[t][step][half] = *reinterpret_cast<const std::uint32_t*>(
              q + (8 * t + u()) * pitch + 2 * Operands::query_component(step, half, j()));
  }

  /// tile: shared memory address of keys first_key … first_key + 15.
  /// all_seen: every row sees every key of the tile.
  __device__ void fold(const DeviceProblem& p, std::uint32_t tile, std::int32_t first_key, bool all_seen,
                       const BlockRows& rows) {
    float score[kRowTiles][4];
    multiply_keys(tile, score);
    finish_scores(p, score, first_key, all_seen, rows);
    std::uint32_t weight[kRowTiles][2];
    weigh(score, weight);
    Operands::for_values(tile, [&](int step, const std::uint32_t(&values)[4]) {
#pragma unroll
      for (int t = 0; t < kRowTiles; ++t) multiply_add<Number>(O_[t][step], values, weight[t]);
    });
  }

  /// Leaves the warp's partial in memory: stats (row), payload O (row, pitch).
  __device__ void store(MaxSum<float>* stats, float* payload, int pitch) {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int row = 8 * t + 2 * j() + e;
        const float l = sum_over_keys(l_[t][e]);
        if (u() == 0) stats[row] = {m_[t][e], l};
#pragma unroll
        for (int step = 0; step < kValueSteps; ++step)
#pragma unroll
          for (int upper = 0; upper < 2; ++upper)
            payload[row * pitch + Operands::output_component(step, u(), upper)] = O_[t][step][e + 2 * upper];
      }
  }

 private:
  __device__ static int u() { return threadIdx.x % 32 / 4; }
  __device__ static int j() { return threadIdx.x % 4; }

  __device__ void multiply_keys(std::uint32_t tile, float (&score)[kRowTiles][4]) {
    constexpr int kChains =
        4 / kRowTiles;  // of sums for a row tile, each waiting for its own instructions only
    float part[kRowTiles][kChains][4] = {};
    Operands::for_keys(tile, [&](int step, const std::uint32_t(&keys)[4]) {
#pragma unroll
      for (int t = 0; t < kRowTiles; ++t) multiply_add<Number>(part[t][step % kChains], keys, q_[t][step]);
    });
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int distance = 1; distance < kChains; distance *= 2)
#pragma unroll
          for (int chain = 0; chain < kChains; chain += 2 * distance)
            part[t][chain][i] += part[t][chain + distance][i];
        score[t][i] = part[t][0][i];
      }
  }

  /// q·k → base-2 scores, −∞ where a row does not see a key.
  __device__ void finish_scores(const DeviceProblem& p, float (&score)[kRowTiles][4], std::int32_t first_key,
                                bool all_seen, const BlockRows& rows) {
    if (all_seen && RowScore::is_plain(p)) {
      const float scale_log2 = RowScore::scale_log2(p);
#pragma unroll
      for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
        for (int i = 0; i < 4; ++i) score[t][i] *= scale_log2;
      return;
    }
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = 8 * t + 2 * j() + i % 2;
        const std::int32_t key = first_key + u() + i / 2 * 8;
        const bool seen = key >= rows.begin[row] && key < rows.end[row];
        score[t][i] = select(seen, rows.score[row](p, score[t][i], key), kMinusInfinity);
      }
  }

  /// Online softmax: moves l and O to the new maximum, adds the tile's weights to l, packs them as operand Pᵀ.
  __device__ void weigh(const float (&score)[kRowTiles][4], std::uint32_t (&weight)[kRowTiles][2]) {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) {
      float p[4];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float tile_max = largest_over_keys(larger_of(score[t][e], score[t][e + 2]));
        const auto online = OnlineBlock<float, DeviceBase2>::begin(m_[t][e], tile_max);
        p[e] = online.weight(score[t][e]);
        p[e + 2] = online.weight(score[t][e + 2]);
        m_[t][e] = online.m;
        l_[t][e] = online.rescale * l_[t][e] + (p[e] + p[e + 2]);
#pragma unroll
        for (int step = 0; step < kValueSteps; ++step) {
          O_[t][step][e] *= online.rescale;
          O_[t][step][e + 2] *= online.rescale;
        }
      }
      weight[t][0] = transpose_matrix(pack<Number>(p[0], p[1]));
      weight[t][1] = transpose_matrix(pack<Number>(p[2], p[3]));
    }
  }

  __device__ static float largest_over_keys(float x) {
#pragma unroll
    for (int distance = 4; distance < 32; distance *= 2) x = larger_of(x, __shfl_xor_sync(~0u, x, distance));
    return x;
  }
  /// Core's `larger` in one instruction: NaN if either is.
  __device__ static float larger_of(float x, float y) {
    float z;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
  __device__ static float sum_over_keys(float x) {
#pragma unroll
    for (int distance = 4; distance < 32; distance *= 2) x += __shfl_xor_sync(~0u, x, distance);
    return x;
  }

  std::uint32_t q_[kRowTiles][kKeySteps][2];
  float O_[kRowTiles][kValueSteps][4] = {};
  float l_[kRowTiles][2] = {};  ///< this lane's keys only
  float m_[kRowTiles][2];

 public:
  __device__ WarpFold() {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) m_[t][0] = m_[t][1] = Form::empty().m;
  }
};

}  // namespace fdlab

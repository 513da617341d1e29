// A warp folds tiles of 16 keys of a float cache into (m, l, O) for 8 or 16 query rows of one KV head. On ordinary cores: the
// tensor cores round a float before they multiply it.
//
//   scores   lane (g = lane / 8, i = lane % 8) takes keys 4g … 4g + 3, all rows, components 4i … 4i + 3 of every 32; the eight
//            lanes of a g then exchange halves of their sums until lane i holds those of row i
//   O        lane takes its components of every key; weights reach it through shared memory, where K lay
#pragma once

#include "core/math/online.h"
#include "cuda/merge_partials.h"
#include "cuda/warp_fold.h"

namespace fdlab {

template <int kHeadDim, int kRowTiles>
class FloatFold {
 public:
  using Form = MlUnnormalised<float, DeviceBase2>;

  /// q: shared memory address of the block's query rows, `pitch` bytes apart, which stay there while keys are folded.
  __device__ void load_query(const char* q, int pitch) {
    query_ = shared_address(q);
    pitch_ = pitch;
  }

  /// tile: shared memory address of keys first_key … first_key + 15; K's half of it is written over.
  /// all_seen: every row sees every key of the tile.
  __device__ void fold(const DeviceProblem& p, std::uint32_t tile, std::int32_t first_key, bool all_seen,
                       const BlockRows& rows) {
    float score[kRowTiles][4];
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) {
      multiply_keys(tile, t, score[t]);
      finish_scores(p, score[t], t, first_key, all_seen, rows);
    }
    __syncwarp();  // K is read
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) weigh(score[t], t, tile);
    __syncwarp();
    add_values(tile);
  }

  /// Leaves the warp's partial in memory: stats (row), payload O (row, pitch).
  __device__ void store(MaxSum<float>* stats, float* payload, int pitch) {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) {
      const float l = over_groups(l_[t], [](float a, float b) { return a + b; });
      if (g() == 0) stats[8 * t + i()] = {m_[t], l};
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int e = 0; e < kUnitsEach; ++e)
          if (column() + 32 * e < kUnits)
            *reinterpret_cast<float4*>(payload + (8 * t + first_row() + r) * pitch +
                                       4 * (column() + 32 * e)) = O_[t][r][e];
    }
  }

 private:
  using Layout = TileLayout<float, kHeadDim>;
  static constexpr int kUnits = kHeadDim / 4;              ///< of four components
  static constexpr int kColumns = kUnits <= 16 ? 16 : 32;  ///< lanes side by side along a row of V
  static constexpr int kRows = 8 * kColumns / 32;          ///< of O in a lane, for each row tile
  static constexpr int kUnitsEach = (kUnits + 31) / 32;
  static constexpr int kWeightPitch = 80;  ///< bytes; puts eight rows into different banks
  static constexpr int kRescale =
      8 * kRowTiles * kWeightPitch;  ///< offset of the rows' factors behind the weights

  __device__ static int g() { return threadIdx.x % 32 / 8; }
  __device__ static int i() { return threadIdx.x % 8; }
  __device__ static int column() { return threadIdx.x % kColumns; }
  __device__ static int first_row() { return threadIdx.x % 32 / kColumns * kRows; }

  __device__ static float4* four_at(std::uint32_t address) {
    return static_cast<float4*>(__cvta_shared_to_generic(address));
  }
  __device__ static float dot_four(float4 a, float4 b, float sum) {
    return fused_multiply_add(
        a.w, b.w,
        fused_multiply_add(a.z, b.z, fused_multiply_add(a.y, b.y, fused_multiply_add(a.x, b.x, sum))));
  }
  template <class F>
  __device__ static float over_groups(float x, F&& f) {
    x = f(x, __shfl_xor_sync(~0u, x, 8));
    return f(x, __shfl_xor_sync(~0u, x, 16));
  }

  /// q·k of row 8t + i and keys 4g … 4g + 3.
  __device__ void multiply_keys(std::uint32_t tile, int t, float (&score)[4]) {
    float sum[8][4] = {};
#pragma unroll 2
    for (int part = 0; part < (kUnits + 7) / 8; ++part) {
      if (kUnits % 8 != 0 && 8 * part + i() >= kUnits) break;
      float4 keys[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) keys[n] = *four_at(tile + Layout::offset(4 * g() + n, i()) + part * 128);
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        const float4 q = *four_at(query_ + (8 * t + r) * pitch_ + (8 * part + i()) * 16);
#pragma unroll
        for (int n = 0; n < 4; ++n) sum[r][n] = dot_four(q, keys[n], sum[r][n]);
      }
    }
    __syncwarp();
    exchange_halves<4>(sum);
    exchange_halves<2>(sum);
    exchange_halves<1>(sum);
#pragma unroll
    for (int n = 0; n < 4; ++n) score[n] = sum[0][n];
  }

  /// Of 2·kHalf rows, a lane keeps the half that its bit kHalf names, with the other lane's sums added.
  template <int kHalf>
  __device__ static void exchange_halves(float (&sum)[8][4]) {
    const bool upper = i() & kHalf;
#pragma unroll
    for (int r = 0; r < kHalf; ++r)
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const float mine = select(upper, sum[r + kHalf][n], sum[r][n]);
        const float theirs = select(upper, sum[r][n], sum[r + kHalf][n]);
        sum[r][n] = mine + __shfl_xor_sync(~0u, theirs, kHalf);
      }
  }

  /// q·k → base-2 scores, −∞ where the row does not see a key.
  __device__ void finish_scores(const DeviceProblem& p, float (&score)[4], int t, std::int32_t first_key,
                                bool all_seen, const BlockRows& rows) {
    const int row = 8 * t + i();
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const std::int32_t key = first_key + 4 * g() + n;
      if (all_seen && RowScore::is_plain(p)) score[n] *= RowScore::scale_log2(p);
      else
        score[n] = select(key >= rows.begin[row] && key < rows.end[row], rows.score[row](p, score[n], key),
                          kMinusInfinity);
    }
  }

  /// Online softmax: moves l to the new maximum, adds the tile's weights to it, leaves them and the factor for O at `to`.
  __device__ void weigh(const float (&score)[4], int t, std::uint32_t to) {
    const float lane_max = larger(larger(score[0], score[1]), larger(score[2], score[3]));
    const auto online = OnlineBlock<float, DeviceBase2>::begin(
        m_[t], over_groups(lane_max, [](float a, float b) { return larger(a, b); }));
    const float4 weight{online.weight(score[0]), online.weight(score[1]), online.weight(score[2]),
                        online.weight(score[3])};
    m_[t] = online.m;
    l_[t] = online.rescale * l_[t] + ((weight.x + weight.y) + (weight.z + weight.w));
    *four_at(to + (8 * t + i()) * kWeightPitch + g() * 16) = weight;
    if (g() == 0)
      *static_cast<float*>(__cvta_shared_to_generic(to + kRescale + (8 * t + i()) * 4)) = online.rescale;
  }

  /// O·factor + Σ weight · V.
  __device__ void add_values(std::uint32_t tile) {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
      for (int r = 0; r < kRows; r += 4) {
        const float4 four = *four_at(tile + kRescale + (8 * t + first_row() + r) * 4);
        const float factor[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
          for (int e = 0; e < kUnitsEach; ++e) O_[t][r + n][e] = add_scaled(factor[n], O_[t][r + n][e], {});
      }
#pragma unroll(kHeadDim* kRowTiles <= 256 ? 2 : 1)
    for (int first = 0; first < kTileKeys; first += 4) {
      float4 values[4][kUnitsEach];
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int e = 0; e < kUnitsEach; ++e) {
          const int unit = column() + 32 * e;
          values[n][e] =
              *four_at(tile + Layout::kValues + Layout::offset(first + n, unit < kUnits ? unit : 0));
        }
#pragma unroll
      for (int t = 0; t < kRowTiles; ++t)
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const float4 weight = *four_at(tile + (8 * t + first_row() + r) * kWeightPitch + first * 4);
#pragma unroll
          for (int e = 0; e < kUnitsEach; ++e)
            O_[t][r][e] = add_scaled(weight.w, values[3][e],
                                     add_scaled(weight.z, values[2][e],
                                                add_scaled(weight.y, values[1][e],
                                                           add_scaled(weight.x, values[0][e], O_[t][r][e]))));
        }
    }
  }

  std::uint32_t query_ = 0;
  int pitch_ = 0;
  float4 O_[kRowTiles][kRows][kUnitsEach] = {};
  float l_[kRowTiles] = {};  ///< of row 8t + i, this lane's keys only
  float m_[kRowTiles];       ///< of row 8t + i

 public:
  __device__ FloatFold() {
#pragma unroll
    for (int t = 0; t < kRowTiles; ++t) m_[t] = Form::empty().m;
  }
};

/// The fold for a cache of T.
template <class T, int kHeadDim, int kRowTiles>
struct FoldFor {
  using type = WarpFold<T, kHeadDim, kRowTiles>;
};
template <int kHeadDim, int kRowTiles>
struct FoldFor<float, kHeadDim, kRowTiles> {
  using type = FloatFold<kHeadDim, kRowTiles>;
};

}  // namespace fdlab

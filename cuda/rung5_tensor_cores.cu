// Rung 5: a KV head's query rows share one read of K and V, on tensor cores.
//
// Changed against rung 4: a block serves the whole group, padded to 8 rows; scores and O are matrix products.
// Why: with a group of g heads, rung 4 reads every key g times and multiplies it on ordinary cores; here once, and a 16 × 8 × 16
// matrix instruction does the work of 64 warp-wide multiply-adds.
// Expect: with groups of 4 and 8 about g times fewer L2 bytes. Loads still wait for the fold and the fold for loads, so far from
// the bandwidth unless many warps overlap by chance.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 27.8, (1,32,8,32768) 88.5, (1,32,32,32768) 301, (8,32,8,8192) 155.
// 2.3 to 3.1 times faster. Predicted up to 4 for groups of 4; MHA gains as much, so what was saved is arithmetic and
// instructions as much as bytes.
#include "cuda/tensor_split.h"

namespace fdlab {
namespace {

/// Loads a tile into registers and stores it to shared memory when it is asked for.
template <class T, int kHeadDim>
class LoadAndStore {
  using Layout = TileLayout<T, kHeadDim>;

 public:
  static constexpr int kStages = 1;
  __device__ LoadAndStore(const DeviceProblem& p, int batch, int kv_head, std::uint32_t tile, std::uint32_t)
      : p_(p), batch_(batch), kv_head_(kv_head), tile_(tile) {}

  __device__ void fill(int first_key, KeySpan keys) { first_key_ = first_key, keys_ = keys; }
  __device__ std::uint32_t wait() {
    copy(p_.k, tile_);
    copy(p_.v, tile_ + Layout::kValues);
    __syncwarp();
    return tile_;
  }
  __device__ void release() { __syncwarp(); }

 private:
  __device__ void copy(const DeviceTensor& t, std::uint32_t to) const {
    constexpr int kPerRow = Layout::kRowBytes / 16, kEach = kTileKeys * kPerRow / 32;
    uint4 loaded[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int at = i * 32 + threadIdx.x % 32, n = first_key_ + at / kPerRow;
      loaded[i] = {};
      if (n >= keys_.begin && n < keys_.end)
        loaded[i] = reinterpret_cast<const uint4*>(static_cast<const T*>(t.data) +
                                                   token_offset(p_, t, batch_, kv_head_, n))[at % kPerRow];
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int at = i * 32 + threadIdx.x % 32;
      asm volatile(
          "st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to + Layout::offset(at / kPerRow, at % kPerRow)),
          "r"(loaded[i].x), "r"(loaded[i].y), "r"(loaded[i].z), "r"(loaded[i].w)
          : "memory");
    }
  }

  const DeviceProblem& p_;
  int batch_, kv_head_, first_key_ = 0;
  KeySpan keys_{};
  std::uint32_t tile_;
};

}  // namespace

void launch_tensor_cores(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                         cudaStream_t stream) {
  launch_tensor_split<LoadAndStore>(p, plan, workspace, stream);
}

}  // namespace fdlab

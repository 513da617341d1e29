// A warp's own ring of K/V tiles in shared memory, filled asynchronously: while one tile is folded, the next ones are on
// their way. No warp waits for another.
#pragma once

#include "cuda/async.h"
#include "cuda/split_rule.h"

namespace fdlab {

/// Bytes from one row of a tile to the next. Rows of whole 128 bytes lie end to end, others 16 bytes apart.
FD_HD constexpr int tile_pitch(int row_bytes) { return row_bytes % 128 == 0 ? row_bytes : row_bytes + 16; }
FD_HD constexpr int tile_bytes(int row_bytes) { return 2 * kTileKeys * tile_pitch(row_bytes); }

/// A tile in shared memory: 16 rows of K, then 16 rows of V. The eight rows that one matrix load reads have to lie in different
/// banks: either their pitch sees to it, or their 16-byte units change places from row to row.
template <class T, int kHeadDim>
struct TileLayout {
  static constexpr int kRowBytes = kHeadDim * static_cast<int>(sizeof(T));
  static constexpr int kPitch = tile_pitch(kRowBytes);
  static constexpr int kValues = kTileKeys * kPitch;  ///< offset of V
  static constexpr int kBytes = tile_bytes(kRowBytes);
  static_assert(kRowBytes % 32 == 0, "rows are whole pairs of 16-byte units");

  /// What unit 0 of a row has changed places with.
  FD_HD static constexpr int exchange(int row) { return kPitch == kRowBytes ? row % 8 : 0; }
  FD_HD static constexpr int offset(int row, int unit) { return row * kPitch + (unit ^ exchange(row)) * 16; }
};

/// Where the rows of one sequence and KV head lie, in K or in V.
struct TokenRows {
  const char* first;         ///< token 0, or slot 0 of page 0
  std::int64_t token, page;  ///< strides in bytes

  __device__ static TokenRows of(const DeviceTensor& t, std::int64_t element_bytes, std::int32_t batch,
                                 std::int32_t head) {
    return {static_cast<const char*>(t.data) + t.offset(batch, head, 0) * element_bytes,
            t.token_stride * element_bytes, t.batch_stride * element_bytes};
  }
};

template <class T, int kHeadDim>
class KvRing {
 public:
  using Layout = TileLayout<T, kHeadDim>;

  /// tiles: shared memory for `stages` tiles; barriers: one per stage. Both belong to this warp alone.
  __device__ KvRing(const DeviceProblem& p, std::int32_t batch, std::int32_t kv_head, std::uint32_t tiles,
                    std::uint32_t barriers, int stages)
      : pages_(p.pages.pages ? p.pages.pages + batch * p.pages.table_stride : nullptr),
        page_size_(p.pages.page_size),
        k_(TokenRows::of(p.k, sizeof(T), pages_ ? 0 : batch, kv_head)),
        v_(TokenRows::of(p.v, sizeof(T), pages_ ? 0 : batch, kv_head)),
        tiles_(tiles),
        barriers_(barriers),
        stages_(stages) {
    if (lane() < stages) Barrier{barriers + 8 * lane()}.init(32);
    __syncwarp();
  }

  /// Starts the copy of the tile at first_key; rows outside `keys` become zero, so that they may be multiplied.
  __device__ void fill(std::int32_t first_key, KeySpan keys) {
    const std::uint32_t tile = tiles_ + fill_stage_ * Layout::kBytes;
    const Barrier barrier{barriers_ + 8 * fill_stage_};
    fill_stage_ = fill_stage_ + 1 == stages_ ? 0 : fill_stage_ + 1;
    constexpr int kPerRow = Layout::kRowBytes / 16;
    const auto copy = [&](int i, std::int64_t page, std::int32_t token, bool valid) {
      const std::uint32_t to = tile + Layout::offset(i / kPerRow, i % kPerRow);
      const std::int32_t byte = i % kPerRow * 16;
      copy_16_bytes(to, k_.first + page * k_.page + token * k_.token + byte, !valid);
      copy_16_bytes(to + Layout::kValues, v_.first + page * v_.page + token * v_.token + byte, !valid);
    };
    if (!pages_) {
#pragma unroll 4
      for (int i = lane(); i < kTileKeys * kPerRow; i += 32) {
        const std::int32_t n = first_key + i / kPerRow;
        const bool valid = n >= keys.begin && n < keys.end;
        copy(i, 0, valid ? n : keys.begin, valid);
      }
    } else {
#pragma unroll 1
      for (int i = lane(); i < kTileKeys * kPerRow; i += 32) {
        const std::int32_t n = first_key + i / kPerRow;
        const bool valid = n >= keys.begin && n < keys.end;
        const std::int32_t token = valid ? n : keys.begin, page = token / page_size_;
        copy(i, pages_[page], token - page * page_size_, valid);
      }
    }
    barrier.arrive_after_copies();
  }

  /// Waits for the oldest tile on its way and returns its address.
  __device__ std::uint32_t wait() {
    Barrier{barriers_ + 8 * read_stage_}.wait(parity_);
    __syncwarp();
    return tiles_ + read_stage_ * Layout::kBytes;
  }
  /// Gives the tile of the last wait() back.
  __device__ void release() {
    __syncwarp();
    if (++read_stage_ == stages_) {
      read_stage_ = 0;
      parity_ ^= 1;
    }
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }

  const std::int32_t* pages_;  ///< of the sequence; null: contiguous
  std::int32_t page_size_;
  TokenRows k_, v_;
  std::uint32_t tiles_, barriers_;
  int stages_, fill_stage_ = 0, read_stage_ = 0;
  std::uint32_t parity_ = 0;
};

}  // namespace fdlab

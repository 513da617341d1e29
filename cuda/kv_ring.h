// A warp's own ring of K/V tiles in shared memory, filled asynchronously: while one tile is folded, the next ones are on
// their way. No warp waits for another.
#pragma once

#include <numeric>

#include "cuda/async.h"
#include "cuda/split_rule.h"

namespace fdlab {

/// Bytes of a row in shared memory: whole pairs of 16-byte units, which is what one matrix load takes.
FD_HD constexpr int padded_row_bytes(int row_bytes) { return (row_bytes + 31) / 32 * 32; }

FD_HD constexpr int tile_bytes(int row_bytes) { return 2 * kTileKeys * padded_row_bytes(row_bytes); }

/// A tile in shared memory: 16 rows of K, then 16 rows of V, in units of 16 bytes, eight of which fill all banks. Neighbouring
/// units are written together, and one matrix load reads the same unit of eight rows: both have to lie in different banks. So
/// the units of a row change places within groups, from row to row as far as the rows' pitch does not already see to it.
template <class T, int kHeadDim>
struct TileLayout {
  static constexpr int kCopied = kHeadDim * static_cast<int>(sizeof(T));  ///< bytes of a row in the cache
  static constexpr int kRowBytes = padded_row_bytes(kCopied);
  static constexpr int kValues = kTileKeys * kRowBytes;  ///< offset of V
  static constexpr int kBytes = tile_bytes(kCopied);
  static constexpr int kGroup = std::gcd(kRowBytes / 16, 8);
  static_assert(kCopied % 16 == 0, "rows are whole 16-byte units");

  /// What unit 0 of a row has changed places with.
  FD_HD static constexpr int exchange(int row) { return row / (8 / kGroup) % kGroup; }
  FD_HD static constexpr int offset(int row, int unit) {
    return row * kRowBytes + (unit ^ exchange(row)) * 16;
  }
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
  __device__ const char* at(std::int64_t in_page, std::int32_t in_slot) const {
    return first + in_page * page + in_slot * token;
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
    if constexpr (Layout::kCopied < Layout::kRowBytes) clear_padding();
    __syncwarp();
  }

  /// Starts the copy of the tile at first_key; rows outside `keys` become zero, so that they may be multiplied.
  __device__ void fill(std::int32_t first_key, KeySpan keys) {
    const std::uint32_t tile = tiles_ + fill_stage_ * Layout::kBytes;
    const Barrier barrier{barriers_ + 8 * fill_stage_};
    fill_stage_ = fill_stage_ + 1 == stages_ ? 0 : fill_stage_ + 1;
    const bool whole = first_key >= keys.begin && first_key + kTileKeys <= keys.end;
    if (whole && (!pages_ || page_size_ % kTileKeys == 0)) copy_whole(tile, slot_of(first_key));
    else copy_valid(tile, first_key, keys);
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
  static constexpr int kPerRow = Layout::kCopied / 16;

  __device__ static int lane() { return threadIdx.x % 32; }

  /// K's unit beyond the last of a row meets a query of zeros, so it must not hold a NaN. No copy touches it.
  __device__ void clear_padding() const {
#pragma unroll 1
    for (int i = lane(); i < stages_ * kTileKeys; i += 32)
      write_16_bytes(tiles_ + i / kTileKeys * Layout::kBytes + Layout::offset(i % kTileKeys, kPerRow), {});
  }

  struct Slot {
    std::int64_t page;
    std::int32_t token;
  };
  __device__ Slot slot_of(std::int32_t key) const {
    if (!pages_) return {0, key};
    const std::int32_t page = key / page_size_;
    return {pages_[page], key - page * page_size_};
  }

  /// Sixteen rows a stride apart, 512 neighbouring bytes at a time where they are neighbours.
  __device__ void copy_whole(std::uint32_t tile, Slot first) const {
    const char* k = k_.at(first.page, first.token);
    const char* v = v_.at(first.page, first.token);
    if constexpr (Layout::kGroup == 8 ||
                  Layout::kGroup == kPerRow) {    // a lane keeps to its unit within a group
      constexpr int kRows = 32 / Layout::kGroup;  // at once
      const int row = lane() / Layout::kGroup, unit = lane() % Layout::kGroup;
      k += row * k_.token + unit * 16;
      v += row * v_.token + unit * 16;
#pragma unroll
      for (int down = 0; down < kTileKeys; down += kRows) {
        const std::uint32_t to = tile + Layout::offset(row + down, unit);
#pragma unroll
        for (int along = 0; along < Layout::kRowBytes; along += 16 * Layout::kGroup) {
          copy_16_bytes(to + along, k + along, policy_);
          copy_16_bytes(to + Layout::kValues + along, v + along, policy_);
        }
        k += kRows * k_.token;
        v += kRows * v_.token;
      }
    } else {
      constexpr int kUnits = kTileKeys * kPerRow;
#pragma unroll
      for (int at = lane(); at < kUnits; at += 32) {
        const int row = at / kPerRow, unit = at % kPerRow;
        const std::uint32_t to = tile + Layout::offset(row, unit);
        copy_16_bytes(to, k + row * k_.token + unit * 16, policy_);
        copy_16_bytes(to + Layout::kValues, v + row * v_.token + unit * 16, policy_);
      }
    }
  }

  /// Rows wherever they lie, or zeros.
  __device__ void copy_valid(std::uint32_t tile, std::int32_t first_key, KeySpan keys) const {
#pragma unroll 1
    for (int i = lane(); i < kTileKeys * kPerRow; i += 32) {
      const std::int32_t n = first_key + i / kPerRow;
      const bool valid = n >= keys.begin && n < keys.end;
      const Slot slot = slot_of(valid ? n : keys.begin);
      const std::uint32_t to = tile + Layout::offset(i / kPerRow, i % kPerRow);
      copy_16_bytes_or_zero(to, k_.at(slot.page, slot.token) + i % kPerRow * 16, !valid, policy_);
      copy_16_bytes_or_zero(to + Layout::kValues, v_.at(slot.page, slot.token) + i % kPerRow * 16, !valid,
                            policy_);
    }
  }

  const std::int32_t* pages_;  ///< of the sequence; null: contiguous
  std::int32_t page_size_;
  TokenRows k_, v_;
  std::uint32_t tiles_, barriers_;
  int stages_, fill_stage_ = 0, read_stage_ = 0;
  std::uint32_t parity_ = 0;
  std::uint64_t policy_ = read_once();
};

}  // namespace fdlab

// What a kernel notes about its blocks. A kernel takes its recorder as a type: NoRecord costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fdlab {

/// One block as it ran, in launch order (x fastest).
struct BlockRecord {
  std::uint64_t start_ns, end_ns;       ///< %globaltimer
  std::int64_t start_clock, end_clock;  ///< clock64 of the block's SM
  std::int32_t sm;
  std::int32_t keys;  ///< keys this block read
};

struct NoRecord {
  __device__ void start(std::int32_t) {}
  __device__ void stop() {}
};

class RecordBlocks {
 public:
  explicit RecordBlocks(BlockRecord* blocks) : blocks_(blocks) {}

  __device__ void start(std::int32_t keys) {
    if (threadIdx.x != 0) return;
    BlockRecord& mine = this_block();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(mine.sm));
    mine.keys = keys;
    mine.start_ns = now_ns();
    mine.start_clock = clock64();
  }
  __device__ void stop() {
    __syncthreads();
    if (threadIdx.x != 0) return;
    this_block().end_clock = clock64();
    this_block().end_ns = now_ns();
  }

 private:
  __device__ BlockRecord& this_block() const {
    return blocks_[blockIdx.x + gridDim.x * (blockIdx.y + std::size_t{gridDim.y} * blockIdx.z)];
  }
  __device__ static std::uint64_t now_ns() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
  }
  BlockRecord* blocks_;
};

}  // namespace fdlab

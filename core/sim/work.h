// A decode step cut into thread blocks: which keys each block reads, as bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/io/result.h"
#include "core/sim/decode_shape.h"
#include "core/sim/kernel_model.h"

namespace fdlab {

struct BlockWork {
  std::int32_t sequence = 0, head = 0, split = 0;
  std::int64_t bytes = 0;
};

inline constexpr std::int64_t kMostBlocks = 1'000'000;  ///< of one simulated grid

/// The blocks in launch order: split by split, then head by head, then sequence by sequence. `head` is the KV head, or
/// the query head where a block serves only one. Refuses more than kMostBlocks.
Result<std::vector<BlockWork>> split_work(const DecodeShape& shape, const KernelModel& kernel,
                                          std::int64_t num_splits);

/// The blocks of the second kernel: one per (sequence, query head, query row), reading every split's partial.
std::vector<BlockWork> merge_work(const DecodeShape& shape, std::int64_t num_splits);

/// One partial of one query row: o, m and l in fp32.
inline std::int64_t partial_bytes(const DecodeShape& shape) { return (shape.v_head_dim + 2) * 4; }

}  // namespace fdlab

#include "core/sim/work.h"

#include <fmt/format.h>

namespace fdlab {

Result<std::vector<BlockWork>> split_work(const DecodeShape& shape, const KernelModel& kernel,
                                          std::int64_t num_splits) {
  if (const auto fault = find_fault(shape)) return Fault{*fault};
  const std::int64_t heads = kernel.block_per_query_head ? shape.q_heads : shape.kv_heads;
  const std::int64_t most_splits = kMostBlocks / (shape.batch * heads);
  if (num_splits < 1 || num_splits > most_splits)
    return Fault{fmt::format("expected 1 to {} splits ({} blocks can be simulated, {} × {} heads), found {}",
                             most_splits, kMostBlocks, shape.batch, heads, num_splits)};
  std::vector<BlockWork> blocks;
  blocks.reserve(static_cast<std::size_t>(shape.batch * heads * num_splits));
  for (std::int32_t sequence = 0; sequence < shape.batch; ++sequence) {
    DecodePlan plan;
    plan.kv_len = shape.kv_len_of(sequence);
    plan.tile_size = kernel.tile_size;
    plan.num_streams = num_splits;
    plan.deal = kernel.deal;
    for (std::int32_t head = 0; head < heads; ++head)
      for (std::int32_t split = 0; split < num_splits; ++split) {
        const TileRun tiles = plan.stream(split);
        const std::int64_t keys =
            tiles.count == 0 ? 0 : plan.tile(tiles.tile(tiles.count - 1)).end - plan.tile(tiles.first).begin;
        blocks.push_back({sequence, head, split, keys * shape.bytes_per_key()});
      }
  }
  return blocks;
}

std::vector<BlockWork> merge_work(const DecodeShape& shape, std::int64_t num_splits) {
  std::vector<BlockWork> blocks;
  for (std::int32_t sequence = 0; sequence < shape.batch; ++sequence)
    for (std::int32_t head = 0; head < shape.q_heads; ++head)
      for (std::int64_t row = 0; row < shape.q_len; ++row)
        blocks.push_back({sequence, head, 0, num_splits * partial_bytes(shape)});
  return blocks;
}

}  // namespace fdlab

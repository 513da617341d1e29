#include "core/sim/occupancy.h"

#include <fmt/format.h>

namespace fdlab {
namespace {

constexpr std::int64_t kRegistersGrain = 256;  // a warp's registers are handed out in this many
constexpr std::int64_t kWarpsGrain = 4;        // one warp for each of an SM's four schedulers
constexpr std::int64_t kSharedGrain = 128;     // bytes
constexpr std::int64_t kMostThreads = 1024;    // of one block
constexpr std::int64_t kMostRegisters = 255;   // of one thread

std::int64_t round_up(std::int64_t value, std::int64_t grain) { return (value + grain - 1) / grain * grain; }

}  // namespace

Occupancy occupancy_of(const BlockResources& block, const Gpu& gpu) {
  const std::int64_t warp_registers = round_up(block.registers_per_thread * 32, kRegistersGrain);
  const std::int64_t warps_by_registers = gpu.registers_per_sm / warp_registers / kWarpsGrain * kWarpsGrain;
  const std::int64_t shared = round_up(block.shared_bytes + gpu.shared_bytes_reserved, kSharedGrain);

  Occupancy least{gpu.blocks_per_sm, "blocks"};
  const auto limit = [&](std::int64_t blocks, const char* what) {
    if (blocks < least.blocks_per_sm) least = {blocks, what};
  };
  limit(gpu.warps_per_sm() / block.warps(), "threads");
  limit(warps_by_registers / block.warps(), "registers");
  limit(gpu.shared_bytes_per_sm / shared, "shared memory");
  return least;
}

std::optional<std::string> find_fault(const BlockResources& block, const Gpu& gpu) {
  if (block.threads < 1 || block.threads > kMostThreads)
    return fmt::format("expected 1 to {} threads a block, found {}", kMostThreads, block.threads);
  if (block.registers_per_thread < 1 || block.registers_per_thread > kMostRegisters)
    return fmt::format("expected 1 to {} registers a thread, found {}", kMostRegisters,
                       block.registers_per_thread);
  if (block.shared_bytes < 0 || block.shared_bytes > gpu.shared_bytes_per_block)
    return fmt::format("expected 0 to {} bytes of shared memory a block on {}, found {}",
                       gpu.shared_bytes_per_block, gpu.name, block.shared_bytes);
  if (const Occupancy fit = occupancy_of(block, gpu); fit.blocks_per_sm == 0)
    return fmt::format("expected a block that fits an SM of {}, found one that needs more {}", gpu.name,
                       fit.limit);
  return std::nullopt;
}

}  // namespace fdlab

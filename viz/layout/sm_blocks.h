// The blocks of a launch as board and lanes draw them, from the model or from a recording, on the clock that starts with
// the call; and what follows from them over time.
#pragma once

#include <cstdint>
#include <vector>

#include "lessons/gpu_scene.h"

namespace fdlab {

struct SmBlock {
  std::int32_t sm = 0, slot = 0;
  std::int32_t sequence = 0, head = 0, split = 0;
  double start_us = 0, end_us = 0;
  std::int64_t bytes = 0;

  bool is_there(double call_us) const { return start_us <= call_us && call_us < end_us; }
};

inline bool has_recorded_blocks(const GpuGrid& grid) {
  return grid.measured && !grid.measured->blocks.empty();
}

/// In launch order. `recorded` needs recorded blocks; their slots are the first that are free.
std::vector<SmBlock> blocks_of(const GpuGrid& grid, bool recorded);

/// Which SM each lane is: those with blocks by their first one, then those without, as `launch_order` has them.
std::vector<std::int32_t> lanes_of(const std::vector<SmBlock>& blocks,
                                   const std::vector<std::int32_t>& launch_order);

/// Constant from `us` to the next one's.
struct SmLoad {
  double us = 0;
  double busy_sms = 0, gb_s = 0;
};

/// SMs with a block, and bytes over time with each block reading evenly while it is there.
std::vector<SmLoad> load_of(const std::vector<SmBlock>& blocks);
/// The model's own, which knows how fast a block reads at each moment.
std::vector<SmLoad> load_of(const Schedule& schedule);

/// Means over `columns` equal parts of 0 … end_us.
std::vector<SmLoad> sampled(const std::vector<SmLoad>& load, double end_us, int columns);

}  // namespace fdlab

// How many blocks of a kernel fit one SM at a time: the occupancy rule of the CUDA programming guide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/sim/gpu.h"

namespace fdlab {

/// What one block occupies.
struct BlockResources {
  std::int64_t threads = 128, registers_per_thread = 32, shared_bytes = 0;

  std::int64_t warps() const { return (threads + 31) / 32; }
};

struct Occupancy {
  std::int64_t blocks_per_sm = 0;
  const char* limit =
      "";  ///< what there is too little of for one more: "threads", "registers", "shared memory", "blocks"
};

Occupancy occupancy_of(const BlockResources& block, const Gpu& gpu);

/// One sentence saying why not even one block fits, or nothing.
std::optional<std::string> find_fault(const BlockResources& block, const Gpu& gpu);

}  // namespace fdlab

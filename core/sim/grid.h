// One kernel's grid on one GPU, event by event: blocks take slots, read at the rate the memory grants, free their slots.
#pragma once

#include <vector>

#include "core/sim/gpu.h"
#include "core/sim/occupancy.h"
#include "core/sim/schedule.h"
#include "core/sim/work.h"

namespace fdlab {

/// The last blocks of a head to start merge what all of its blocks leave, each a slice of it, once the last has read its keys.
struct GridMerge {
  std::int64_t mergers = 0;  ///< of a head's blocks; 0: nothing is merged here
  double us = 0;             ///< of the merge itself
  double trips = 0;  ///< to memory, one after another, each as long as it takes under the load of the moment
};

/// What all blocks of a grid have in common.
struct GridModel {
  BlockResources block;
  std::int64_t bytes_in_flight = 0;  ///< of one block
  double start_us = 0, end_us = 0;   ///< before its first load, after its last byte
  double cold_us = 0;       ///< before the first load of a block of the first wave, on top of start_us
  double l2_share = 0;      ///< of the bytes, found in L2
  double math_gb_s = 1e9;   ///< what one SM's arithmetic keeps up with
  double round_us = 0;      ///< what a round of loads takes longer (or less) than that of a plain read
  double memory_share = 1;  ///< of the memory's ceiling, that this pattern of reads reaches
  double crowding = 0;      ///< share of the time in queues that a roomy SM's loads are spared
  bool reads_ahead = true;  ///< while it computes; else it does one after the other
  std::int64_t readers =
      1;  ///< blocks that read the same bytes at the same time: those leave memory once for all
  std::int64_t splits = 1;  ///< blocks of a head, side by side in launch order
  GridMerge merge;
};

/// Deterministic. The model's block must fit an SM (find_fault of BlockResources).
KernelRun run_grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work);

}  // namespace fdlab

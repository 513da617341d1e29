// What every SM does and when: the simulator's whole result. Terminal, window, lessons and files read it; none of them
// computes a time, a ratio or a bandwidth of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/decode_shape.h"

namespace fdlab {

/// One thread block. Times count from the first block's start.
struct ScheduledBlock {
  std::int32_t sequence = 0, head = 0, split = 0;
  std::int16_t sm = 0, slot = 0;
  double start_us = 0;     ///< takes its slot; its first load leaves at KernelRun::read_us
  double read_end_us = 0;  ///< its last byte is there
  double end_us = 0;       ///< frees its slot; a block that merges its head's splits does so before
  std::int64_t bytes = 0;  ///< of K and V (of partials, in a merging block)
};

/// From start_us to the next one's: what is constant in between.
struct BandwidthStep {
  double start_us = 0;
  double gb_s = 0;
  std::int32_t busy_sms = 0, resident_blocks = 0;
};

/// One kernel: its blocks in launch order and what follows from them.
struct KernelRun {
  std::vector<ScheduledBlock> blocks;
  std::vector<BandwidthStep> steps;
  std::vector<double> sm_busy_us;  ///< per SM: time with at least one block
  double span_us = 0;              ///< first start to last end
  double first_load_us = 0;        ///< from a block's start to its first load,
  double cold_us = 0;              ///< and in the first wave so much later
  std::int64_t blocks_per_sm = 0;  ///< slots of an SM
  std::string occupancy_limit;     ///< what there is too little of for one more slot

  // Where the span went; the four add up to it.
  double bandwidth_us = 0;   ///< the blocks ask for more than the memory's ceiling
  double latency_us = 0;     ///< they ask for less: too few bytes in flight
  double arithmetic_us = 0;  ///< SMs read as fast as they compute
  double tail_us = 0;        ///< a block has ended and none waits to take its place

  std::int64_t bytes() const;
  std::size_t first_wave() const {  ///< its blocks, which find an empty slot
    return std::min(blocks.size(), sm_busy_us.size() * static_cast<std::size_t>(blocks_per_sm));
  }
  double read_us(std::size_t block) const {
    return blocks[block].start_us + first_load_us + (block < first_wave() ? cold_us : 0);
  }
};

/// The four ratios that are all called "utilisation". They answer different questions and are never mixed up.
struct UtilisationRatios {
  double kernel_running = 0;    ///< of the call's time, in which a kernel runs (what nvidia-smi shows)
  double sms_with_work = 0;     ///< of all SMs, averaged over the split kernel's span: those with a block
  double occupancy = 0;         ///< of the warps that fit the SMs in use, those resident
  double last_wave_filled = 0;  ///< of one wave's slots, those the last wave needs
};

/// What set the time: the largest share of it.
enum class Bound : std::uint8_t { launch, latency, bandwidth, arithmetic, tail, merge };
const char* name_of(Bound bound);

struct Schedule {
  std::string gpu, kernel, model_origin;  ///< origin: what the memory model's constants were fitted on
  DecodeShape shape;
  std::int64_t num_splits = 1;
  std::int64_t sms = 0;
  double ceiling_gb_s = 0, l2_share = 0;

  KernelRun split;       ///< reads K and V
  KernelRun merge;       ///< second kernel; no blocks where there is none
  double launch_us = 0;  ///< of one or two kernels
  double merge_us =
      0;  ///< after the last split is read: second kernel's span, or what the last merging block adds
  double merge_start_us = 0;  ///< of the second kernel's first block, on the split kernel's clock
  double time_us = 0;         ///< the whole call: launch, split kernel, merge

  /// From the call to the split kernel's first block: what turns a block's time into time since the call.
  double first_launch_us() const { return merge.blocks.empty() ? launch_us : launch_us / 2; }

  /// First start to last end of the kernel that reads K and V; a merge by its last blocks is part of it.
  double split_kernel_us() const { return split.span_us + (merge.blocks.empty() ? merge_us : 0); }

  std::int64_t waves = 0;
  double slot_efficiency = 0;  ///< blocks / (waves × slots): the textbook's saw-tooth
  double time_efficiency = 0;  ///< time at the memory's ceiling / time
  UtilisationRatios ratios;
  Bound bound = Bound::latency;
  double bound_share = 0;  ///< of time_us
};

}  // namespace fdlab

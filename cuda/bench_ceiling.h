// The read ceiling: how fast this device can read the bytes of K and V when it does nothing else.
#pragma once

#include <cstdint>

#include "cuda/device.h"

namespace fdlab::bench {

struct ReadCeiling {
  double time_us = 0;
  const char* pattern = "";  ///< which of the patterns was the fastest
};

/// data: `sets` arrays of `bytes` each, side by side, read in turns. Timed like a kernel: cold L2, graph replay, back to back.
/// The best of three patterns: 16-byte loads in one wave after another, the same by resident blocks, and bulk copies into
/// shared memory (sm_90 and later).
ReadCeiling read_ceiling(const void* data, std::int64_t bytes, int sets, const DeviceLimits& limits,
                         cudaStream_t stream);

}  // namespace fdlab::bench

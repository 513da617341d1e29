// Times a call the way a decode step pays for it: CUDA graph replay, input sets rotated past the L2 cache.
#pragma once

#include <functional>

#include "cuda/device.h"

namespace fdlab::bench {

struct Times {
  double back_to_back_us = 0;    ///< call after call of the same kind
  double after_ordinary_us = 0;  ///< [empty kernel, call] minus the empty kernel alone
};

/// call(set, stream) enqueues one call on input set 0 … sets − 1. Median over groups of graph replays.
Times time_calls(int sets, const std::function<void(int, cudaStream_t)>& call, cudaStream_t stream);

}  // namespace fdlab::bench

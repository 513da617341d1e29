// Times a call the way a decode step pays for it: CUDA graph replay, input sets rotated past the L2 cache.
#pragma once

#include <functional>

#include "cuda/device.h"

namespace fdlab::bench {

/// Enqueues one call on input set 0 … sets − 1.
using Call = std::function<void(int set, cudaStream_t stream)>;

struct Times {
  double back_to_back_us = 0;    ///< call after call of the same kind
  double after_ordinary_us = 0;  ///< [empty kernel, call] minus the empty kernel alone
};

/// Medians over groups of graph replays.
Times time_calls(int sets, const Call& call, cudaStream_t stream);

/// The first of the two alone.
double time_back_to_back_us(int sets, const Call& call, cudaStream_t stream);

}  // namespace fdlab::bench

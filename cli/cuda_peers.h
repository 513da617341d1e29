// Other people's kernels on the same shapes, on the same card, in the same run: PyTorch's, through bench/peers.py.
#pragma once

#include <string>
#include <vector>

#include "core/sim/decode_shape.h"

namespace fdlab::cli {

struct PeerTime {
  std::size_t shape = 0;  ///< index in the list of shapes
  std::string peer;       ///< "cudnn" or "flash"
  double time_us = 0, after_ordinary_us = 0;
};

struct Peers {
  std::vector<PeerTime> times;
  std::string note;  ///< versions, or why there are no peers
};

/// Runs python3; a shape that PyTorch does not do has no times.
Peers time_peers(const std::vector<DecodeShape>& shapes);

}  // namespace fdlab::cli

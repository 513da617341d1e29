// Which SM a block goes to on an empty GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/gpu.h"

namespace fdlab {

/// The SMs that get one of `blocks` blocks, at most all of them, in the order of the blocks. The first GPC is filled; the
/// others take turns, and no TPC (a pair of SMs) gets a second block before all have one.
std::vector<std::int32_t> places_of(const Gpu& gpu, std::int64_t blocks);

}  // namespace fdlab

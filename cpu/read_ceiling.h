// How fast this machine can read: the ceiling that decode attention is measured against, since it reads K and V once and
// does little else. Compiled once per instruction set (read_ceiling.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fdlab {

/// Reads `bytes` of each of two arrays (both multiples of 4096), `turn` bytes of one and `turn` of the other in turns,
/// and returns a sum of all of it, so that nothing can be left out. turn: 256 or 512; 0: the first array, then the other.
using ReadStreams = std::uint64_t (*)(const std::byte* a, const std::byte* b, std::size_t bytes,
                                      std::size_t turn);

}  // namespace fdlab

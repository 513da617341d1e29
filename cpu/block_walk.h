// The keys of one stream in the order in which it folds them, cut into blocks small enough for the first cache.
#pragma once

#include <cstdint>

#include "core/plan/plan.h"

namespace fdlab {

inline constexpr std::int64_t kBlockKeys = 64;

/// Blocks of at most kBlockKeys neighbouring keys, tile by tile, clipped to `keys`; empty ones are left out.
class BlockWalk {
 public:
  BlockWalk() = default;
  BlockWalk(const DecodePlan& plan, std::int64_t stream, KeyRange keys);

  /// The next block; an empty range at the end.
  KeyRange next();

 private:
  const DecodePlan* plan_ = nullptr;
  TileRun run_;
  KeyRange keys_;
  std::int64_t place_ = 0;  // of the tile within the stream
  KeyRange left_{};         // what is left of the tile
};

}  // namespace fdlab

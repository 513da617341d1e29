// What a GPU scene is made from: the fields of [scene] in lesson.toml, and the controls of the window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/sim/decode_shape.h"

namespace fdlab {

struct GpuSceneSpec {
  std::string gpu = "h200", kernel = "one-kernel";
  std::int64_t batch = 1, kv_heads = 8;
  std::int64_t group = 1;  ///< query heads that share a KV head
  std::int64_t kv_len = 32768, head_dim = 128;
  bool is_ragged = false;              ///< sequences differ in length; the longest has kv_len keys
  std::optional<std::int64_t> splits;  ///< of B; nothing: what our rule takes
  std::int64_t a_splits = 1;
  std::optional<std::int64_t> a_batch;  ///< sequences of A; nothing: as many as B

  friend bool operator==(const GpuSceneSpec&, const GpuSceneSpec&) = default;
};

/// Bounds of the controls; blocks of one launch stay within kMostShownBlocks.
inline constexpr std::int64_t kMostBatch = 256, kMostKvHeads = 64, kMostGroup = 16, kMostShownSplits = 132;
inline constexpr std::int64_t kLeastKvLen = 256, kMostKvLen = 1 << 20;
inline constexpr std::int64_t kMostShownBlocks = 16384;

/// The nearest scene that can be simulated and shown.
GpuSceneSpec clamped(GpuSceneSpec spec);

DecodeShape shape_of(const GpuSceneSpec& spec);

}  // namespace fdlab

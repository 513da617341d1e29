// Which keys a split holds, computed from a sequence's length where it is read: on the device. Affine, so a graph
// captured once stays right when lengths shrink; splits beyond a short sequence's last tile are empty.
#pragma once

#include "cuda/problem.h"

namespace fdlab {

inline constexpr int kTileKeys = 16;  ///< the height of one matrix instruction

/// Splits of one plan: tiles of kTileKeys keys, at least `min_tiles` of them to a split, at most `num_splits` splits. What a
/// sequence's splits hold depends on its own length only, not on its batch mates.
struct SplitRule {
  std::int32_t num_splits = 1;
  std::int32_t min_tiles = 1;

  /// Splits that hold anything, for a sequence whose rows see the keys of `span`.
  FD_HD std::int32_t used(KeySpan span) const {
    const std::int32_t wanted = (num_tiles(span) + min_tiles - 1) / min_tiles;
    return wanted < num_splits ? wanted : num_splits;
  }

  /// Keys of split s: neighbouring tiles, counts that differ by at most one (core's Deal::balanced).
  FD_HD KeySpan split(KeySpan span, std::int32_t s) const {
    const std::int32_t splits = used(span);
    if (s >= splits) return {0, 0};
    const std::int32_t share = num_tiles(span) / splits, longer = num_tiles(span) % splits;
    const std::int32_t first = s * share + (s < longer ? s : longer);
    const std::int32_t last = first + share + (s < longer ? 1 : 0);
    return {key_of(span, first), key_of(span, last)};
  }

 private:
  /// Tiles lie on multiples of kTileKeys; the first and the last may be partly outside the span.
  FD_HD std::int32_t first_tile(KeySpan span) const { return span.begin / kTileKeys; }
  FD_HD std::int32_t num_tiles(KeySpan span) const {
    return span.size() == 0 ? 0 : (span.end + kTileKeys - 1) / kTileKeys - first_tile(span);
  }
  FD_HD std::int32_t key_of(KeySpan span, std::int32_t t) const {
    const std::int32_t key = (first_tile(span) + t) * kTileKeys;
    return key < span.begin ? span.begin : key > span.end ? span.end : key;
  }
};

/// Keys that any row of a sequence of that length sees: what its splits divide.
FD_HD inline KeySpan sequence_span(const DeviceProblem& p, std::int32_t kv_len) {
  return {visible_keys(p, kv_len, 0).begin, visible_keys(p, kv_len, p.q_len - 1).end};
}

}  // namespace fdlab

// Into how many splits, and by thread blocks of how many warps? What the fastest kernel's planner takes (cuda/plan.cu), and what
// the simulator and `fdlab splits` call ours. From shape and device alone, measured on an NVIDIA H200.
#pragma once

#include <cstdint>

namespace fdlab {

struct SplitQuestion {
  std::int64_t heads = 1;  ///< thread blocks without splits: sequences × KV heads × row tiles
  std::int64_t sms = 132;
  std::int64_t blocks = 1;          ///< KV blocks (tiles) of the longest sequence
  std::int64_t block_bytes = 8192;  ///< K and V of one KV block: 16 keys of 128 + 128 components in 16 bits
};

struct SplitChoice {
  std::int64_t splits;
  std::int32_t warps;       ///< of a thread block
  bool merges_in_clusters;  ///< where the device has them, that is faster than scratch in memory
};

inline constexpr int kMostChosenSplits = 512;
inline constexpr int kStreamPriorities = 2;  ///< unless the caller says otherwise

/// `kv_is_ready`: calls may stream K and V while the call before still runs, and so compete with it for SMs.
SplitChoice choose_splits(const SplitQuestion& question, bool kv_is_ready = false);

/// Thread blocks of a head that share the merge of its splits' partials, of `floats` (rows × components) each.
/// At most sms / priorities: each waits on its SM for other blocks, and launches on streams of so many priorities may do so at
/// once.
std::int64_t num_mergers(std::int64_t splits, std::int64_t floats, std::int64_t sms,
                         std::int64_t priorities = kStreamPriorities);

}  // namespace fdlab

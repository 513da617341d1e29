// A decode kernel as the simulator knows it: what a block occupies, how many bytes it keeps in flight, what it spends
// before and after reading, who merges. Built-in ones stand in core/sim/data/kernels.toml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/plan/plan.h"
#include "core/sim/decode_shape.h"
#include "core/sim/occupancy.h"

namespace fdlab {

/// Who turns the splits' partials into one.
enum class MergeBy : std::uint8_t {
  second_kernel,  ///< one block per (sequence, query head), launched when the splits are done
  last_arriver,   ///< the block of a head that finishes last, inside the same kernel
};

/// What computes q·k and p·V.
enum class MathUnit : std::uint8_t {
  fma,     ///< one multiply-add a thread; every query row costs its own
  tensor,  ///< tensor cores: query rows are padded to 16
};

struct KernelModel {
  std::string name;
  BlockResources block;
  std::int64_t bytes_in_flight = 0;   ///< of one block
  std::int64_t tile_size = 64;        ///< keys
  Deal deal = Deal::balanced;         ///< how a sequence's tiles are dealt to its splits
  bool block_per_query_head = false;  ///< else one block serves all query heads of a KV head
  bool reads_ahead = true;            ///< while it computes; else it does one after the other
  MathUnit math = MathUnit::tensor;
  double math_share = 1;    ///< of the unit's peak that the kernel's inner loop can reach
  double start_us = 0;      ///< from a block's start to its first load: index arithmetic, q, barriers
  double setup_us = 0;      ///< of it, what goes by before a recorder notes the start
  double cold_us = 0;       ///< what a block of the first wave needs on top: code, parameters are in no cache
  double end_us = 0;        ///< from its last byte to its end: reduction over the warps, stores
  double round_us = 0;      ///< what a round of its loads takes longer (or less) than that of a plain read
  double memory_share = 1;  ///< of the memory's ceiling, that its reads reach
  double crowding = 0;      ///< share of the time in queues that a roomy SM's loads are spared
  MergeBy merge = MergeBy::second_kernel;
  double merge_us = 0, merge_trips = 0;  ///< last_arriver: see GridMerge
  std::string source;                    ///< where the figures come from

  /// Bytes of K and V an SM's arithmetic can keep up with, in GB/s.
  double math_gb_s(const DecodeShape& shape, const Gpu& gpu) const;
  /// Query rows that one block computes for each key it reads.
  std::int64_t rows_per_block(const DecodeShape& shape) const {
    return shape.q_len * (block_per_query_head ? 1 : shape.group());
  }
};

std::vector<std::string> builtin_kernel_names();
Result<KernelModel> find_kernel(const std::string& name);

}  // namespace fdlab

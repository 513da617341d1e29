// The inner loop of the fast executor: one thread's streams, each for all query rows that share a KV head. It is compiled
// once per instruction set (kernel.cpp); what is declared here is the same for all of them.
#pragma once

#include <cstdint>

#include "core/math/merge.h"
#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "cpu/block_walk.h"

namespace fdlab {

/// Rows of floats begin at multiples of this many, whatever the vector length.
inline constexpr std::int64_t kRowPadding = 16;
inline constexpr std::int64_t padded(std::int64_t floats) {
  return (floats + kRowPadding - 1) / kRowPadding * kRowPadding;
}

/// Query rows are padded with zero rows to 1, 2 or a multiple of 4.
inline constexpr std::int64_t padded_rows(std::int64_t rows) { return rows <= 2 ? rows : (rows + 3) / 4 * 4; }

/// The weights of a merge without its statistics, which are kept in double.
struct NoStats {};

/// What one query row sees, and how its scores are changed.
struct RowView {
  std::int64_t q_head, position;
  KeyRange visible;
};

/// One stream's work. The pointers k and v are at key 0 of the sequence's KV head; components are adjacent.
struct StreamTask {
  const DecodePlan* plan;
  std::int64_t stream;
  KeyRange keys;  ///< that any of the rows sees
  const void *k, *v;
  const RowView* rows;  ///< (num_rows, padded)
  const float* q;       ///< (num_rows, padded(head_dim))

  // The stream's partial, unnormalised (m, l, O), natural base.
  float* m;  ///< (padded(num_rows))
  float* l;  ///< (num_rows)
  float* o;  ///< (num_rows, padded(v_head_dim))
};

/// Three blocks of scores and what to multiply by before each; a block's O; a running sum in lanes and block maximum of
/// each row.
inline constexpr std::int64_t scratch_floats(std::int64_t rows, std::int64_t v_head_dim) {
  return rows * (3 * kBlockKeys + padded(v_head_dim) + kRowPadding) + 4 * padded(rows);
}

class StreamDeal;

/// Folds the streams that are dealt to a thread, all of `num_rows` rows; returns whether there were any.
/// scratch: scratch_floats(num_rows, v_head_dim), on a cache line.
using FoldStreams = bool (*)(const DecodeProblem& problem, std::int64_t num_rows, StreamDeal& deal,
                             int thread, float* scratch);

/// a becomes the union's payload of a and b (core/math/merge.h), `count` components, a multiple of kRowPadding.
using BlendPayloads = void (*)(const Merged<NoStats, float>& merged, float* a, const float* b,
                               std::int64_t count);

}  // namespace fdlab

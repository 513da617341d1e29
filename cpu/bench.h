// Timing the fast executor: it is checked first, and every sample stands between two samples of the read ceiling with
// the same bytes and threads, so that a ratio means something on a machine whose speed drifts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/verdict.h"
#include "core/problem/dtype.h"
#include "cpu/isa.h"

namespace fdlab {

struct BenchShape {
  std::int64_t q_heads, kv_heads, kv_len, head_dim;
  DType type;
};

/// The shapes that the project's goals name.
std::vector<BenchShape> bench_shapes();

struct BenchResult {
  Outcome outcome = Outcome::nothing_compared;  ///< of the check; nothing is timed unless it passed
  std::int64_t kv_bytes = 0;                    ///< K and V, each read once
  std::int64_t splits = 0;
  int threads = 0;
  double time_us = 0;     ///< median
  double ceiling_us = 0;  ///< median time to read the same bytes
  double ratio = 0;       ///< median of the paired ceiling time / time
  double eigen_ratio =
      0;  ///< the same for naive standard attention with Eigen; 0 where it was not run (f32 only)
  double thread_gain = 0;  ///< ceiling with all threads / ceiling with one
};

/// rounds: samples of each. rotated_bytes: K and V are copied until they fill at least this, and the copies take turns,
/// so that every sample is cold.
BenchResult bench_cpu(const BenchShape& shape, const Isa& isa, int rounds, std::int64_t rotated_bytes);

}  // namespace fdlab

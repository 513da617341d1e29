// Timing the fast executor: it is checked first, and every sample stands between two samples of the read ceiling with
// the same bytes and threads, so that a ratio means something on a machine whose speed drifts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/verdict.h"
#include "cpu/bench_problem.h"
#include "cpu/isa.h"

namespace fdlab {

/// The shapes that the project's goals name: MHA, GQA 4 and MQA 8, each in f32, f16 and bf16.
std::vector<BenchShape> bench_shapes();

/// A short one of each kind, in f32 and bf16.
std::vector<BenchShape> quick_bench_shapes();

struct BenchOptions {
  int rounds = 15;  ///< samples of each
  /// K and V are copied until they fill at least this, and the copies take turns, so that every sample is cold.
  std::int64_t rotated_bytes = std::int64_t{1} << 30;
};

/// Below this, something else uses the memory that the threads share: the ceiling is low, and every ratio to it is
/// flattered. Two threads of an idle machine reach 1.9.
inline constexpr double kClaimableThreadGain = 1.6;
bool is_claimable(int threads, double thread_gain);

struct BenchPeerResult {
  std::string name;  ///< bench_peers.h
  double time_us;    ///< median
  double ratio;      ///< as the executor's
};

struct BenchResult {
  Outcome outcome = Outcome::nothing_compared;  ///< of the check; nothing is timed unless it passed
  std::string differing;                        ///< what failed the check: "the executor" or a peer's name
  std::int64_t splits = 0;
  int threads = 0;
  double time_us = 0;                  ///< median
  double ceiling_us = 0;               ///< median time to read the same bytes
  double ratio = 0;                    ///< median of the paired ceiling time / time
  double thread_gain = 0;              ///< ceiling with all threads / ceiling with one
  std::vector<BenchPeerResult> peers;  ///< f32 only
};

BenchResult bench_cpu(const BenchShape& shape, const Isa& isa, const BenchOptions& options);

/// The ceiling with all threads over that with one, over a quarter of a gigabyte.
double measure_thread_gain(const Isa& isa);

/// About how long these shapes take on two idle cores.
double estimate_bench_s(const std::vector<BenchShape>& shapes, const BenchOptions& options);

}  // namespace fdlab

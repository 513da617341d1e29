// What the fast executor is timed beside: standard attention as others' libraries compute it, all scores first, then the
// softmax, then the values. For f32 problems of one sequence and one query row, K and V in C order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/problem/problem.h"

namespace fdlab {

struct BenchPeer {
  std::string name;
  std::function<std::vector<float>(const DecodeProblem&)> attention;  ///< o: (q_heads, v_head_dim)
};

/// Those of this build and machine, on as many threads as OpenMP gives: "eigen", two matrix-vector products a head;
/// "openblas-gemv", the same; "openblas-gemm", two matrix products for each group of query heads.
std::vector<BenchPeer> bench_peers();

/// Which libraries they are, or why one is missing: "Eigen 3.4.0 with SSE, SSE2; OpenBLAS for …".
std::string bench_peers_note();

}  // namespace fdlab

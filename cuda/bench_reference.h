// Plain softmax attention in float64 on the GPU: what the bench holds every kernel against before it times it. Shares no
// code with what it judges.
#pragma once

#include "cuda/problem.h"

namespace fdlab::bench {

/// o (rows, v_head_dim) and lse_ln (rows) in float64, both on the device; scores: scratch (rows, kv_len). No score features.
void launch_reference(const DeviceProblem& problem, double* o, double* lse_ln, double* scores,
                      cudaStream_t stream);

/// ‖out − reference‖ / ‖reference‖ over all rows; NaN if any output is NaN.
double relative_error(const DeviceProblem& problem, const double* reference_o, cudaStream_t stream);

/// max |lse − reference|.
double lse_error(const DeviceProblem& problem, const double* reference_lse_ln, cudaStream_t stream);

/// Fills `count` elements with normal random numbers of standard deviation 1 (e4m3: rounded to it).
void fill_random(void* data, DType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream);

}  // namespace fdlab::bench

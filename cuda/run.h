// A host problem computed on the device: copies there, one launch, copies back. For the terminal and the tests; a serving loop
// keeps its tensors on the device and calls launch_decode.
#pragma once

#include <vector>

#include "core/io/result.h"
#include "core/problem/problem.h"
#include "cuda/ladder.h"

namespace fdlab {

struct DeviceOutput {
  std::vector<float> o;       ///< (batch, q_heads, q_len, v_head_dim); zeros where a row sees no key
  std::vector<float> lse_ln;  ///< (batch, q_heads, q_len); −∞ where a row sees no key
  CudaPlan plan;              ///< as used: kernel, splits, merge
};

/// A core problem's tensors and tables on the device. Components must be adjacent (stride 1).
class UploadedProblem {
 public:
  /// Refuses, in one sentence, what the kernels do not take.
  static Result<UploadedProblem> of(const DecodeProblem& problem);

  const DeviceProblem& problem() const { return problem_; }
  DeviceProblem& problem() { return problem_; }
  /// Copies o and lse back; waits for the device.
  DeviceOutput output() const;

 private:
  UploadedProblem() = default;
  DeviceProblem problem_;
  std::vector<DeviceBuffer> buffers_;
};

/// rung: null for launch_decode, else one of the ladder. Throws CudaError if the device fails.
Result<DeviceOutput> run_on_device(const DecodeProblem& problem, const DeviceLimits& limits,
                                   const PlanOptions& options = {}, const Rung* rung = nullptr);

}  // namespace fdlab

// One kernel on one shape: checked against float64 attention, then timed, beside the time that reading K and V takes.
#pragma once

#include <memory>
#include <vector>

#include "core/io/result.h"
#include "core/sim/decode_shape.h"
#include "cuda/bench_ceiling.h"
#include "cuda/bench_timing.h"
#include "cuda/ladder.h"

namespace fdlab {

/// What is run: v_head_dim as head_dim, and a cache in one piece or in pages.
struct CudaBenchCase {
  DecodeShape shape;
  std::int32_t page_size = 0;  ///< tokens; each sequence's pages lie in random order. 0: one piece
};

struct CudaBenchRequest {
  CudaBenchCase problem;
  PlanOptions options{};
  const Rung* rung = nullptr;  ///< null: launch_decode
};

struct CudaBenchRow {
  CudaPlan plan;
  bool right = false;         ///< nothing is timed unless it is
  double relative_error = 0;  ///< ‖o − reference‖ / ‖reference‖
  double lse_error = 0;       ///< max |lse − reference|
  bench::Times times;
  bench::ReadCeiling ceiling;
};

/// The rows of the measured table.
std::vector<CudaBenchCase> cuda_bench_cases();

class CudaBench {
 public:
  explicit CudaBench(const DeviceInfo& device);
  ~CudaBench();

  /// Refuses in one sentence what the kernel or the bench does not take. Throws CudaError if the device fails.
  Result<CudaBenchRow> run(const CudaBenchRequest& request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fdlab

// A recording beside the model's schedule of the same launch.
#pragma once

#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/sim/gpu.h"
#include "core/sim/kernel_model.h"
#include "core/sim/recording.h"
#include "core/sim/schedule.h"

namespace fdlab {

struct Residual {
  const char* what;
  const char* unit;  ///< "us", "%" or ""
  double predicted, measured;

  double relative() const { return measured == 0 ? 0 : predicted / measured - 1; }
  double difference() const { return predicted - measured; }
};

/// The kernel that was recorded: its name's built-in model, or that of `split`.
KernelModel kernel_of(const Recording& recording);

/// The model's schedule of what was recorded, and how far they are apart. Every measured figure is the recording's: show
/// `recording.badge()` beside it.
struct Comparison {
  Schedule predicted;
  std::vector<Residual> residuals;

  const Residual& call() const { return residuals[0]; }
  const Residual& sms_with_work() const { return residuals[4]; }
};
Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording);
/// With other constants for the kernel; what it occupies is always as recorded.
Result<Comparison> compare_with(const Gpu& gpu, const Recording& recording, KernelModel kernel);

/// Mean share of the SMs with at least one block, over the recorded split kernel's span.
double sms_with_work(const Recording& recording);

}  // namespace fdlab

// Where a recorded kernel's constants come from: its own recordings, and the fit. The fit sees every second recording from the
// largest down (by batch, then query heads, KV heads, length, splits); the others judge it. `fdlab simulate --fit` prints all of it, and
// tests/test_sim_kernel_fit.cpp repeats it.
#pragma once

#include <string>
#include <vector>

#include "core/sim/against.h"

namespace fdlab {

/// One constant of a kernel's model that a fit may change.
struct KernelConstant {
  const char* name;  ///< as in core/sim/data/kernels.toml
  double KernelModel::*value;
  double start, step;  ///< of the search
};

/// Those that are fitted for this kernel; none for a kernel that is no recorded one.
std::vector<KernelConstant> free_constants(const std::string& kernel);

/// Recordings of a kernel in two halves.
struct FitHalves {
  std::vector<Recording> seen, held_out;
};
FitHalves halves_of(const std::vector<Recording>& recordings, const std::string& kernel);

/// Least squares of the relative error of the whole call's time and of the error in SMs with work.
KernelModel fit_kernel(const Gpu& gpu, const std::string& kernel, const std::vector<Recording>& seen);

/// Means over recordings.
struct FitError {
  double time = 0;  ///< |predicted / measured − 1| of the whole call
  double busy = 0;  ///< |predicted − measured| of the share of SMs with work
};
FitError error_of(const Gpu& gpu, const KernelModel& kernel, const std::vector<Recording>& recordings);

}  // namespace fdlab

// A decode step on a GPU: plan to schedule.
#pragma once

#include "core/io/result.h"
#include "core/plan/choose_splits.h"
#include "core/sim/grid.h"
#include "core/sim/kernel_model.h"
#include "core/sim/schedule.h"

namespace fdlab {

struct StepOptions {
  std::int64_t num_splits = 1;
  bool kv_in_l2 = false;  ///< K and V are still in L2 from a step before, if they fit
};

/// Refuses what cannot run: an impossible shape, a block that fits no SM, more blocks than can be simulated.
Result<Schedule> simulate_step(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape,
                               const StepOptions& options);

/// What a split rule is asked for this kernel and shape.
SplitQuestion split_question(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape);

/// What `our_splits` answers.
std::int64_t auto_splits(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape);

}  // namespace fdlab

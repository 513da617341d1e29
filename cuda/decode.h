// The production entry point.
#pragma once

#include "cuda/plan.h"

namespace fdlab {

/// Decode attention: enqueues one kernel on the stream. Allocates nothing and waits for nothing, so that it may be captured
/// into a graph; kv_lens are read on the device, so that a replay with shorter lengths is right. The same plan gives the same
/// bits, run to run. plan: made for this problem's shape; workspace: its own, used by one launch at a time.
/// Throws CudaError if the launch fails.
///
/// Launches may run side by side on streams of as many priorities as the plans were told of (PlanOptions::priorities). With more,
/// launches that cut in on each other can wait for ever.
void launch_decode(const DeviceProblem& problem, const CudaPlan& plan, const Workspace& workspace,
                   cudaStream_t stream);

}  // namespace fdlab

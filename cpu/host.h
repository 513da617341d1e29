// What this machine offers the CPU executor.
#pragma once

namespace fdlab {

/// Threads that a parallel region would use: OMP_NUM_THREADS, or one per core.
int num_threads();

}  // namespace fdlab

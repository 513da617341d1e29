// The kernels that are also built with a recorder.
#pragma once

#include "core/sim/recording.h"
#include "cuda/ladder.h"
#include "cuda/record.h"

#include <cuda_runtime.h>

namespace fdlab {

/// Rung 1. One record for each block.
void launch_one_block_recorded(const DeviceProblem& problem, RecordBlocks recorder, cudaStream_t stream);

/// The production kernel for a bf16 cache of head_dim 128 and at most 8 query rows per KV head.
void launch_decode_recorded(const DeviceProblem& problem, const CudaPlan& plan, const Workspace& workspace,
                            RecordBlocks recorder, cudaStream_t stream);

/// What a block of each occupies.
RecordedLaunch one_block_launch();
RecordedLaunch decode_launch(const CudaPlan& plan);

/// Registers from the compiled kernel, residents from the driver's occupancy query.
template <class Kernel>
RecordedLaunch launch_of(Kernel kernel, int threads, int dynamic_shared_bytes, std::int64_t bytes_in_flight) {
  cudaFuncAttributes attributes{};
  int residents = 0;
  FD_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  FD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared_bytes));
  FD_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&residents, kernel, threads,
                                                        static_cast<std::size_t>(dynamic_shared_bytes)));
  return {threads, attributes.numRegs,
          static_cast<std::int64_t>(attributes.sharedSizeBytes) + dynamic_shared_bytes, residents,
          bytes_in_flight};
}

}  // namespace fdlab

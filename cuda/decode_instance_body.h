// What every file of instances/ compiles: the kernel for 8, 16 … kMostRows query rows a block.
#pragma once

#include "cuda/decode_kernel.h"

namespace fdlab {

template <class T, int kHeadDim, int kMostRows>
void launch_instance(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                     cudaStream_t stream) {
  const auto launch = [&](auto row_tiles) {
    launch_decode_kernel<T, kHeadDim, decltype(row_tiles)::value>(p, plan, workspace, NoRecord{}, stream);
  };
  if (plan.rows_per_block == 8) return launch(std::integral_constant<int, 1>{});
  if constexpr (kMostRows >= 16)
    if (plan.rows_per_block == 16) return launch(std::integral_constant<int, 2>{});
  if constexpr (kMostRows >= 32) launch(std::integral_constant<int, 4>{});
}

}  // namespace fdlab

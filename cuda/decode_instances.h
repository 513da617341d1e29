// The tuned instances of the production kernel, one file each under instances/. This table is the only list.
#pragma once

#include <span>

#include "cuda/ladder.h"

namespace fdlab {

struct DecodeInstance {
  DType kv_type;
  std::int32_t head_dim;
  LaunchDecode launch;  ///< serves 8 or 16 query rows per block, as the plan says
};

std::span<const DecodeInstance> decode_instances();

/// The instance for a KV type and head size, or null.
const DecodeInstance* find_instance(DType kv_type, std::int32_t head_dim);

/// T: element type of K and V.
template <class T, int kHeadDim>
void launch_instance(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);

}  // namespace fdlab

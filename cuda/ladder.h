// The ladder: decode kernels from naive to fastest, each one idea further than the last, and the tuned instances of the kernel
// at its top. These tables are the only lists.
#pragma once

#include <span>

#include "cuda/plan.h"

namespace fdlab {

/// Same signature for every rung: enqueues on the stream, allocates nothing, waits for nothing. Throws CudaError.
using LaunchDecode = void (*)(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);

struct Rung {
  int number;
  const char* name;  ///< as in `--kernel NAME`
  const char* idea;  ///< what it does that the one before does not
  LaunchDecode launch;
  /// Whether it can do a problem: nothing, or one sentence saying what it expects.
  std::optional<std::string> (*find_refusal)(const DeviceProblem&);
};

std::span<const Rung> ladder();

/// A tuned instance of the production kernel: one file under instances/, a kernel each for 8, 16 … most_rows query rows a block.
struct DecodeInstance {
  DType kv_type;
  std::int32_t head_dim, most_rows;
  LaunchDecode launch;
};

std::span<const DecodeInstance> decode_instances();

/// The instance for a KV type and head size, or null: then rung 4 serves the problem.
const DecodeInstance* find_instance(DType kv_type, std::int32_t head_dim);

void launch_one_block(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_split_mlo(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_split_lse(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_vector_loads(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_tensor_cores(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_async_ring(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);
void launch_one_kernel(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);

}  // namespace fdlab

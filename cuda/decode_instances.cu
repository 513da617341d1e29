#include "cuda/element.h"
#include "cuda/ladder.h"

namespace fdlab {

/// T: element type of K and V. Each is instantiated in a file of its own.
template <class T, int kHeadDim>
void launch_instance(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);

namespace {

constexpr DecodeInstance kInstances[] = {
    {DType::f16, 64, launch_instance<__half, 64>},
    {DType::f16, 80, launch_instance<__half, 80>},
    {DType::f16, 96, launch_instance<__half, 96>},
    {DType::f16, 128, launch_instance<__half, 128>},
    {DType::f16, 256, launch_instance<__half, 256>},
    {DType::bf16, 64, launch_instance<__nv_bfloat16, 64>},
    {DType::bf16, 80, launch_instance<__nv_bfloat16, 80>},
    {DType::bf16, 96, launch_instance<__nv_bfloat16, 96>},
    {DType::bf16, 128, launch_instance<__nv_bfloat16, 128>},
    {DType::bf16, 256, launch_instance<__nv_bfloat16, 256>},
    {DType::e4m3, 64, launch_instance<__nv_fp8_e4m3, 64>},
    {DType::e4m3, 96, launch_instance<__nv_fp8_e4m3, 96>},
    {DType::e4m3, 128, launch_instance<__nv_fp8_e4m3, 128>},
    {DType::e4m3, 256, launch_instance<__nv_fp8_e4m3, 256>},
};

}  // namespace

std::span<const DecodeInstance> decode_instances() { return kInstances; }

const DecodeInstance* find_instance(DType kv_type, std::int32_t head_dim) {
  for (const DecodeInstance& instance : kInstances)
    if (instance.kv_type == kv_type && instance.head_dim == head_dim) return &instance;
  return nullptr;
}

}  // namespace fdlab

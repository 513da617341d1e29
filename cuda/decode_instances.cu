#include "cuda/element.h"
#include "cuda/ladder.h"

namespace fdlab {

/// T: element type of K and V. Each is instantiated in a file of its own.
template <class T, int kHeadDim, int kMostRows>
void launch_instance(const DeviceProblem&, const CudaPlan&, const Workspace&, cudaStream_t);

namespace {

constexpr DecodeInstance kInstances[] = {
    {DType::f32, 64, 16, launch_instance<float, 64, 16>},
    {DType::f32, 80, 8, launch_instance<float, 80, 8>},
    {DType::f32, 96, 16, launch_instance<float, 96, 16>},
    {DType::f32, 128, 16, launch_instance<float, 128, 16>},
    {DType::f32, 256, 16, launch_instance<float, 256, 16>},
    {DType::f16, 64, 16, launch_instance<__half, 64, 16>},
    {DType::f16, 80, 16, launch_instance<__half, 80, 16>},
    {DType::f16, 96, 16, launch_instance<__half, 96, 16>},
    {DType::f16, 128, 32, launch_instance<__half, 128, 32>},
    {DType::f16, 256, 16, launch_instance<__half, 256, 16>},
    {DType::bf16, 64, 16, launch_instance<__nv_bfloat16, 64, 16>},
    {DType::bf16, 80, 16, launch_instance<__nv_bfloat16, 80, 16>},
    {DType::bf16, 96, 16, launch_instance<__nv_bfloat16, 96, 16>},
    {DType::bf16, 128, 32, launch_instance<__nv_bfloat16, 128, 32>},
    {DType::bf16, 256, 16, launch_instance<__nv_bfloat16, 256, 16>},
    {DType::e4m3, 64, 16, launch_instance<__nv_fp8_e4m3, 64, 16>},
    {DType::e4m3, 80, 8, launch_instance<__nv_fp8_e4m3, 80, 8>},
    {DType::e4m3, 96, 16, launch_instance<__nv_fp8_e4m3, 96, 16>},
    {DType::e4m3, 128, 16, launch_instance<__nv_fp8_e4m3, 128, 16>},
    {DType::e4m3, 256, 16, launch_instance<__nv_fp8_e4m3, 256, 16>},
};

}  // namespace

std::span<const DecodeInstance> decode_instances() { return kInstances; }

const DecodeInstance* find_instance(DType kv_type, std::int32_t head_dim) {
  for (const DecodeInstance& instance : kInstances)
    if (instance.kv_type == kv_type && instance.head_dim == head_dim) return &instance;
  return nullptr;
}

}  // namespace fdlab

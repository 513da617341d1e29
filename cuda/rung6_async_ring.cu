// Rung 6: an asynchronous pipeline. Each warp keeps a ring of tiles on their way while it folds the oldest.
//
// Changed against rung 5: the feed is KvRing: cp.async into three tiles a warp, completion on an mbarrier.
// Why: bandwidth is bytes in flight over latency (Little's law). 4.6 TB/s at 1.35 µs take 47 KB a SM on average; two blocks of
// four warps with three 8 KiB tiles keep up to 192 KB under way, without a register spent.
// Expect: near the read bandwidth at long lengths; short ones now pay for launches, for the second kernel and for its wait.
// Measured (NVIDIA H200, 2026-11-30, bf16, head_dim 128, splits chosen by the plan, µs a call, cold L2), (batch, query heads, KV
// heads, kv_len): (1,32,8,4096) 15.5, (1,32,8,32768) 45.2, (1,32,32,32768) 128, (8,32,8,8192) 68.6.
// 1.8 to 2.3 times faster; 4.2 TB/s at 537 MB, 92 % of what only reading reaches.
#include "cuda/tensor_split.h"

namespace fdlab {
namespace {

template <class T, int kHeadDim>
struct RingFeed : KvRing<T, kHeadDim> {
  static constexpr int kStages = 3;
  __device__ RingFeed(const DeviceProblem& p, int batch, int kv_head, std::uint32_t tiles,
                      std::uint32_t barriers)
      : KvRing<T, kHeadDim>(p, batch, kv_head, tiles, barriers, kStages) {}
};

}  // namespace

void launch_async_ring(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                       cudaStream_t stream) {
  launch_tensor_split<RingFeed>(p, plan, workspace, stream);
}

}  // namespace fdlab

// Asynchronous copies into shared memory, the barriers they complete on, and launches that overlap their predecessor.
#pragma once

#include <cstdint>

#include "cuda/tensor_core.h"

namespace fdlab {

/// A barrier in shared memory. Its phase ends when every expected arrival has come.
struct Barrier {
  std::uint32_t address;

  __device__ void init(std::uint32_t arrivals) const {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
  }
  /// Waits for the end of the phase of this parity.
  __device__ void wait(std::uint32_t parity) const {
    std::uint32_t done = 0;
    while (!done) {
#if __CUDA_ARCH__ >= 900
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(address), "r"(parity)
                   : "memory");
#else
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(address), "r"(parity)
                   : "memory");
#endif
    }
  }
  /// Arrives once this thread's 16-byte copies so far are there.
  __device__ void arrive_after_copies() const {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
  }
};

/// Copies 16 bytes, or writes 16 zero bytes.
__device__ inline void copy_16_bytes(std::uint32_t to, const void* from, bool zero) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(zero ? 0 : 16)
               : "memory");
}

/// The place in the cluster's block `rank` that corresponds to p in this block's shared memory.
template <class P>
__device__ P* block_address(P* p, unsigned rank) {
#if __CUDA_ARCH__ >= 900
  std::uint64_t mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(reinterpret_cast<std::uint64_t>(p)), "r"(rank));
  return reinterpret_cast<P*>(mapped);
#else
  return p;
#endif
}

/// Waits for every block of the cluster; what each wrote before is visible to all after.
__device__ inline void synchronize_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Waits for every block of the cluster, without ordering memory.
__device__ inline void leave_cluster_together() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// Lets the next kernel of the stream start its blocks where there is room, if it was launched to overlap.
__device__ inline void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits until the kernel before has ended and its writes are visible; at once unless launched to overlap it.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace fdlab

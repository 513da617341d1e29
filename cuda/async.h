// Asynchronous copies into shared memory, the barriers they complete on, and launches that overlap their predecessor.
#pragma once

#include <cstdint>

#include "cuda/tensor_core.h"

/// Instructions of sm_90 and later; nothing on older devices, where no launch asks for them.
#if __CUDA_ARCH__ >= 900
#define FD_FROM_SM_90(instructions) asm volatile(instructions ::: "memory")
#define FD_TEST_WAIT "try_wait"  // may sleep until the phase ends
#else
#define FD_FROM_SM_90(instructions) static_cast<void>(0)
#define FD_TEST_WAIT "test_wait"
#endif

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
      asm volatile("{ .reg .pred p; mbarrier." FD_TEST_WAIT
                   ".parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(address), "r"(parity)
                   : "memory");
    }
  }
  /// Arrives once this thread's 16-byte copies so far are there.
  __device__ void arrive_after_copies() const {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
  }
};

/// How the L2 cache is to treat what is read once: it makes room first, so that code and partials stay.
__device__ inline std::uint64_t read_once() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// Copies 16 bytes.
__device__ inline void copy_16_bytes(std::uint32_t to, const void* from, std::uint64_t policy) {
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "l"(policy)
               : "memory");
}

/// Copies 16 bytes, or writes 16 zero bytes.
__device__ inline void copy_16_bytes_or_zero(std::uint32_t to, const void* from, bool zero,
                                             std::uint64_t policy) {
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(to), "l"(from),
               "r"(zero ? 0 : 16), "l"(policy)
               : "memory");
}

/// Writes 16 bytes to an address in shared memory.
__device__ inline void write_16_bytes(std::uint32_t to, uint4 x) {
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
               : "memory");
}

/// Brings the 128 bytes around p into the L2 cache: a hint that changes no result.
__device__ inline void prefetch_to_cache(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
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
  FD_FROM_SM_90("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
}

/// Waits for every block of the cluster, without ordering memory.
__device__ inline void leave_cluster_together() {
  FD_FROM_SM_90("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;");
}

/// Lets the next kernel of the stream start its blocks where there is room, if it was launched to overlap.
__device__ inline void allow_next_kernel() { FD_FROM_SM_90("griddepcontrol.launch_dependents;"); }

/// Waits until the kernel before has ended and its writes are visible; at once unless launched to overlap it.
__device__ inline void wait_for_previous_kernel() { FD_FROM_SM_90("griddepcontrol.wait;"); }

}  // namespace fdlab

#undef FD_FROM_SM_90
#undef FD_TEST_WAIT

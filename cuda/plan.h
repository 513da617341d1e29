// How a decode problem is spread over the GPU: made once on the host from shape and device properties, valid for every
// problem of that shape with lengths up to kv_len.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/plan/choose_splits.h"
#include "cuda/device.h"
#include "cuda/split_rule.h"

namespace fdlab {

/// How the splits' partials of a row become one.
enum class SplitMerge : std::uint8_t {
  none,          ///< one split: nothing to merge
  cluster,       ///< the blocks of a head read each other's shared memory (sm_90 and later)
  last_arriver,  ///< the last blocks of a head to begin merge it from global memory, a slice of components each
};

const char* name_of(SplitMerge merge);

inline constexpr std::int32_t kMostClusterBlocks =
    16;  ///< H100 and H200 allow 16 where the kernel asks for it

inline constexpr std::int32_t kMostWarps = 8,
                              kMostStages = 8;  ///< of a block, which has room for no more barriers

struct PlanOptions {
  std::int32_t num_splits = 0;  ///< 0: chosen to fill the device
  std::optional<SplitMerge> merge{};
  std::int32_t rows = 0;    ///< query rows of a block: 8, 16 or 32; 0: chosen
  std::int32_t warps = 0;   ///< warps of a block; 0: chosen
  std::int32_t stages = 0;  ///< tiles in flight per warp; 0: chosen
  /// The caller's promise that no kernel before it on the stream that may still run writes K, V, kv_lens or the page table:
  /// the one launched just before and, where that one started before its own predecessor had ended, those before it. Then KV is
  /// streamed before they have ended (programmatic dependent launch, sm_90 and later).
  bool kv_is_ready = false;
  /// How many priorities the streams have on which launches run side by side. Blocks that merge wait for others of their launch:
  /// with more than SMs / priorities of them, launches that cut in on each other could fill the device and wait for ever.
  std::int32_t priorities = kStreamPriorities;
};

/// What a kernel reads of its plan.
struct DevicePlan {
  SplitRule rule;
  SplitMerge merge = SplitMerge::none;
  std::int32_t mergers = 1;    ///< blocks that share the merge of a head's rows
  std::int32_t row_tiles = 1;  ///< blocks side by side for one KV head's query rows
  std::int32_t warps = 4, stages = 4;
  std::int32_t ring_bytes = 0;  ///< shared memory of all rings of a block
  bool kv_is_ready = false;
  std::int32_t group = 1;      ///< query heads of a KV head
  std::int32_t num_units = 0;  ///< (batch, KV head, row tile): what is divided into splits
};

struct CudaPlan : DevicePlan {
  std::string kernel;               ///< which instance serves the problem
  bool is_tuned = false;            ///< an instance of its own; else the generic kernel, two launches
  std::int32_t rows_per_block = 0;  ///< query rows of one KV head that a block serves
  std::int32_t shared_bytes = 0, most_shared_bytes = 0;  ///< of a block: asked for, and what the device has
  bool overlaps = false;  ///< launched so that it may start before its predecessor has ended
  std::size_t awaited_floats =
      0;  ///< scratch for partials that a kernel merges itself, kAbsent between launches
  std::size_t partial_floats = 0;  ///< those, and behind them scratch for partials of any rung
  std::size_t num_tickets = 0;     ///< counters of blocks that have begun, zero between launches
};

/// A plan, or one sentence saying why there is none.
struct PlanResult {
  std::optional<CudaPlan> plan;
  std::string fault;
};

/// Looks at shape, types, strides and features only; never at device memory.
PlanResult make_plan(const DeviceProblem& problem, const DeviceLimits& limits,
                     const PlanOptions& options = {});

/// Every row starts on a 16-byte boundary.
bool rows_are_aligned(const DeviceTensor& tensor);

/// What a plan needs on the device. One launch at a time may use it.
struct Workspace {
  DeviceBuffer partials, tickets;
};

Workspace upload_plan(const CudaPlan& plan);

}  // namespace fdlab

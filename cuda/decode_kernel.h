// The production kernel. A block takes one split of one KV head's keys for 8 or 16 query rows; its warps stream tiles of 16
// keys through rings of their own and fold them on tensor cores; warps merge in shared memory, splits as the plan says.
#pragma once

#include "cuda/ladder.h"
#include "cuda/merge_partials.h"
#include "cuda/query_rows.h"
#include "cuda/record.h"

namespace fdlab {

inline constexpr int kMaxWarps = 8, kMaxStages = 8;

/// Scratch of a plan in global memory. A slot is (unit, split).
struct DecodeScratch {
  float* payload;        ///< O (slot, row, head_dim)
  MaxSum<float>* stats;  ///< (slot, row, head_dim / 4): a row's statistics beside every four components
  unsigned* tickets;     ///< (unit): blocks that have begun, 0 between launches
};

/// Shared memory behind the rings. The rings themselves are room for merging once the keys are folded.
template <int kHeadDim>
struct MergeRoom {
  static constexpr int kPitch = kHeadDim + 4;            ///< floats; puts rows two apart into different banks
  static constexpr int kQueryPitch = 2 * kHeadDim + 16;  ///< bytes
  float* payload;        ///< (row, kPitch): the block's own partial; the query rows until the keys are folded
  MaxSum<float>* stats;  ///< (row): its statistics
  MaxSum<float>* warp_stats;  ///< (warp, row)

  __device__ static MergeRoom at(char* memory, int rows) {
    float* payload = reinterpret_cast<float*>(memory);
    MaxSum<float>* stats = reinterpret_cast<MaxSum<float>*>(payload + rows * kPitch);
    return {payload, stats, stats + rows};
  }
};

/// One block's work. The code is kept small: at a few microseconds a call, fetching instructions is what costs.
template <class T, int kHeadDim, int kRowTiles, class Recorder>
class DecodeBlock {
  static constexpr int kRows = 8 * kRowTiles;
  static constexpr int kQuads = kHeadDim / 4;
  using Layout = TileLayout<T, kHeadDim>;
  using Room = MergeRoom<kHeadDim>;
  using Number = typename Multiplied<T>::type;

 public:
  __device__ DecodeBlock(const DeviceProblem& p, const DevicePlan& plan, const DecodeScratch& scratch,
                         char* shared, BlockRows& rows, std::uint64_t* barriers)
      : p_(p),
        plan_(plan),
        scratch_(scratch),
        rows_(rows),
        shared_(shared),
        barriers_(shared_address(barriers)),
        split_(blockIdx.x),
        unit_(blockIdx.z * gridDim.y + blockIdx.y),
        room_(Room::at(shared + plan.ring_bytes, kRows)) {}

  __device__ void run(Recorder& recorder) {
    fold(recorder);
    if (plan_.merge == SplitMerge::cluster || split_ == 0 || split_ < used_splits_) merge();
    recorder.stop();
  }

 private:
  __device__ int warp() const { return threadIdx.x / 32; }
  __device__ char* warp_tiles() const { return shared_ + warp() * plan_.stages * Layout::kBytes; }
  __device__ bool takes_ticket() const {
    return plan_.merge == SplitMerge::last_arriver && used_splits_ > 1 && split_ < used_splits_;
  }

  /// The keys of this split in a sequence of that length.
  __device__ KeySpan divide(int kv_len) {
    const KeySpan span = sequence_span(p_, kv_len);
    used_splits_ = plan_.rule.used(span);
    return plan_.rule.split(span, split_);
  }

  /// The warps' partials of this split, left at the front of each warp's ring; their statistics in room_.
  __device__ void fold(Recorder& recorder) {
    const int row_tile = plan_.row_tiles == 1 ? 0 : blockIdx.y % plan_.row_tiles;
    const int kv_head = plan_.row_tiles == 1 ? blockIdx.y : blockIdx.y / plan_.row_tiles;
    KvRing<T, kHeadDim> ring(p_, blockIdx.z, kv_head, shared_address(warp_tiles()),
                             barriers_ + 8 * warp() * plan_.stages, plan_.stages);
    const QueryRows query(p_, blockIdx.z, kv_head, plan_.group, row_tile * kRows);
    int kv_len = p_.kv_len;
    KeySpan keys = divide(kv_len);
    if (!plan_.kv_is_ready) wait_for_previous_kernel();
    if (p_.kv_lens) {
      kv_len = p_.kv_lens[blockIdx.z];
      keys = divide(kv_len);
    }
    recorder.start(keys.size());
    uint4 query_part = {};  // on its way before the keys, which would queue in front of it
    if (!plan_.kv_is_ready) query_part = query.template fetch<Number, kHeadDim>(threadIdx.x);
    else query.template expect<kRows>();

    WarpFold<T, kHeadDim, kRowTiles> warp_fold;
    const int step = plan_.warps * kTileKeys, first = keys.begin / kTileKeys * kTileKeys + warp() * kTileKeys;
    int all_begin = 0, all_end = 0;
    unsigned ticket = 0;
#pragma unroll 1
    for (int i = 0;; ++i) {  // copies run `stages` tiles ahead
      if (i == plan_.stages) {
        allow_next_kernel();
        if (plan_.kv_is_ready) {
          wait_for_previous_kernel();
          query_part = query.template fetch<Number, kHeadDim>(threadIdx.x);
        }
        if (threadIdx.x == 0 && takes_ticket()) ticket = atomicAdd(scratch_.tickets + unit_, 1u);
        all_begin = visible_keys(p_, kv_len, p_.q_len - 1).begin, all_end = visible_keys(p_, kv_len, 0).end;
        char* staged = reinterpret_cast<char*>(room_.payload);
        query.template describe<kRows>(kv_len, rows_);
        query.template stage<Number, kHeadDim, kRows>(query_part, staged, Room::kQueryPitch);
        __syncthreads();
        warp_fold.load_query(staged, Room::kQueryPitch);
      }
      if (i >= plan_.stages) {
        const int tile = first + (i - plan_.stages) * step;
        if (tile >= keys.end) break;
        const bool all_seen = tile >= all_begin && tile + kTileKeys <= all_end;
        warp_fold.fold(p_, ring.wait(), tile, all_seen, rows_);
        ring.release();
      }
      if (first + i * step < keys.end) ring.fill(first + i * step, keys);
    }
    warp_fold.store(room_.warp_stats + warp() * kRows, reinterpret_cast<float*>(warp_tiles()), Room::kPitch);
    if (threadIdx.x == 0) rows_.ticket = ticket;
    __syncthreads();
  }

  /// Quads [begin, begin + size) of the block's rows.
  struct Slice {
    int begin, size;
    __device__ static Slice of(int quads, int index, int count) {
      const int begin = quads * index / count;
      return {begin, quads * (index + 1) / count - begin};
    }
  };

  /// Merges the warps' partials into the block's, then, if there are other splits, the splits' into the rows'. A pass merges
  /// groups of kMergeWidth parts; it is repeated over the groups until one is left.
  __device__ void merge() {
    const bool alone = used_splits_ <= 1;
    const int quads = rows_.count * kQuads;
    Partials parts{.where = PartialsIn::block,
                   .O = reinterpret_cast<float*>(shared_),
                   .stats = room_.warp_stats,
                   .O_part = plan_.stages * Layout::kBytes / 4,
                   .O_row = Room::kPitch,
                   .stats_part = kRows,
                   .stats_row = 1,
                   .stats_quad = 0};
    Slice slice{0, quads};
    int count = plan_.warps;
    bool of_splits = alone;
    float4* spare_O = reinterpret_cast<float4*>(shared_);
#pragma unroll 1
    while (true) {
      const int groups = (count + kMergeWidth - 1) / kMergeWidth;
      MaxSum<float>* spare_stats = reinterpret_cast<MaxSum<float>*>(spare_O + groups * slice.size);
#pragma unroll 1
      for (int i = threadIdx.x; i < groups * slice.size; i += blockDim.x) {
        const int group = groups == 1 ? 0 : i / slice.size, quad = slice.begin + i - group * slice.size;
        const int row = quad / kQuads, c = quad % kQuads * 4, first = group * kMergeWidth;
        const MergedQuad merged = merge_parts(parts, first, min(count - first, kMergeWidth), row, c, quad);
        if (groups > 1) {
          spare_O[i] = merged.O;
          spare_stats[i] = merged.stats;
        } else if (!of_splits) {
          store_partial(row, c, merged);
        } else if (!alone || split_ == 0) {
          store_row(p_, rows_.index[row], rows_.q_head[row], c, merged);
        }
        if (parts.where == PartialsIn::scratch)
          forget_parts(parts, first, min(count - first, kMergeWidth), row, c, quad);
      }
      if (groups > 1) {
        __syncthreads();
        parts = {.where = PartialsIn::block,
                 .O = reinterpret_cast<float*>(spare_O - slice.begin),
                 .stats = spare_stats - slice.begin,
                 .O_part = 4 * slice.size,
                 .O_row = kHeadDim,
                 .stats_part = slice.size,
                 .stats_row = 0,
                 .stats_quad = 1};
        count = groups;
        spare_O = reinterpret_cast<float4*>(spare_stats + (groups * slice.size + 1) / 2 * 2);
      } else if (of_splits) {
        break;
      } else if (plan_.merge == SplitMerge::cluster) {
        of_splits = true;
        count = plan_.rule.num_splits;
        slice = Slice::of(quads, split_, count);
        parts = {.where = PartialsIn::cluster,
                 .O = room_.payload,
                 .stats = room_.stats,
                 .O_part = 0,
                 .O_row = Room::kPitch,
                 .stats_part = 0,
                 .stats_row = 1,
                 .stats_quad = 0};
        synchronize_cluster();
      } else {
        of_splits = true;
        count = used_splits_;
        const int mergers = min(plan_.mergers, count), place = place_among(mergers);
        if (place < 0) return;
        __syncthreads();  // the warps' partials are read, their room is spare
        slice = Slice::of(quads, place, mergers);
        parts = {.where = PartialsIn::scratch,
                 .O = partial_payload(0),
                 .stats = partial_stats(0),
                 .O_part = kRows * kHeadDim,
                 .O_row = kHeadDim,
                 .stats_part = kRows * kQuads,
                 .stats_row = 0,
                 .stats_quad = 1};
      }
    }
    if (plan_.merge == SplitMerge::cluster)
      leave_cluster_together();  // another block may still read this one's memory
  }

  /// The last `mergers` blocks to have begun merge a slice of components each; the others get −1. A merger waits for blocks
  /// that run already or are next in line, at most mergers − 1 of them.
  __device__ int place_among(int mergers) {
    const int place = static_cast<int>(rows_.ticket) - (used_splits_ - mergers);
    if (threadIdx.x == 0 && place == mergers - 1) scratch_.tickets[unit_] = 0;  // the last ticket was taken
    return max(place, -1);
  }

  __device__ float* partial_payload(int split) const {
    return scratch_.payload + (std::int64_t{1} * unit_ * plan_.rule.num_splits + split) * kRows * kHeadDim;
  }
  __device__ MaxSum<float>* partial_stats(int split) const {
    return scratch_.stats + (std::int64_t{1} * unit_ * plan_.rule.num_splits + split) * kRows * kQuads;
  }

  /// The block's own partial, where the merge of the splits finds it.
  __device__ void store_partial(int row, int component, const MergedQuad& quad) {
    if (plan_.merge == SplitMerge::cluster) {
      *reinterpret_cast<float4*>(room_.payload + row * Room::kPitch + component) = quad.O;
      if (component == 0) room_.stats[row] = quad.stats;
    } else {
      const int at = row * kQuads + component / 4;
      hand_over(reinterpret_cast<float2*>(partial_stats(split_)) + at,
                reinterpret_cast<float4*>(partial_payload(split_)) + at, quad);
    }
  }

  const DeviceProblem& p_;
  const DevicePlan& plan_;
  const DecodeScratch& scratch_;
  BlockRows& rows_;
  char* shared_;
  std::uint32_t barriers_;
  int split_, unit_, used_splits_ = 0;
  Room room_;
};

template <class T, int kHeadDim, int kRowTiles, class Recorder>
__global__ void __launch_bounds__(32 * kMaxWarps, 1)
    decode_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ DevicePlan plan,
                  const __grid_constant__ DecodeScratch scratch, Recorder recorder) {
  extern __shared__ __align__(128) char shared[];
  __shared__ BlockRows rows;
  __shared__ std::uint64_t barriers[kMaxWarps * kMaxStages];
  DecodeBlock<T, kHeadDim, kRowTiles, Recorder>(p, plan, scratch, shared, rows, barriers).run(recorder);
}

template <class T, int kHeadDim, int kRowTiles, class Recorder>
void launch_decode_kernel(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                          Recorder recorder, cudaStream_t stream) {
  constexpr int kRows = 8 * kRowTiles;
  const std::int64_t slots = std::int64_t{1} * plan.num_units * plan.rule.num_splits;
  const unsigned splits = static_cast<unsigned>(plan.rule.num_splits), batch = static_cast<unsigned>(p.batch);
  float* payload = workspace.partials.as<float>();
  const DecodeScratch scratch{payload, reinterpret_cast<MaxSum<float>*>(payload + slots * kRows * kHeadDim),
                              workspace.tickets.as<unsigned>()};
  const auto kernel = decode_kernel<T, kHeadDim, kRowTiles, Recorder>;
  FD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes));

  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config{};
  config.gridDim = {splits, static_cast<unsigned>(plan.num_units) / batch, batch};
  config.blockDim = static_cast<unsigned>(32 * plan.warps);
  config.dynamicSmemBytes = static_cast<std::size_t>(plan.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  if (plan.overlaps) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (plan.merge == SplitMerge::cluster) {
    FD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs++].val.clusterDim = {splits, 1, 1};
  }
  FD_CUDA(cudaLaunchKernelEx(&config, kernel, p, static_cast<const DevicePlan&>(plan), scratch, recorder));
}

}  // namespace fdlab

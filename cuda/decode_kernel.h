// The production kernel. A block takes one split of one KV head's keys for 8 to 32 query rows; its warps stream tiles of 16
// keys through rings of their own and fold them, on tensor cores or, if they are floats, on ordinary ones; warps merge in
// shared memory, splits as the plan says.
#pragma once

#include "cuda/float_fold.h"
#include "cuda/ladder.h"
#include "cuda/merge_partials.h"
#include "cuda/query_rows.h"
#include "cuda/record.h"

namespace fdlab {

/// Scratch of a plan in global memory.
struct DecodeScratch {
  ScratchPartials
      partials;       ///< (unit, split, row, head_dim / 4): a row's statistics beside every four components
  unsigned* tickets;  ///< (unit): blocks that have begun, 0 between launches
};

/// Shared memory behind the rings.
template <class T, int kHeadDim, int kRows>
struct BlockRoom {
  using Number = typename Multiplied<T>::type;
  static constexpr int kDepth = TileLayout<T, kHeadDim>::kRowBytes / int{sizeof(T)};  ///< components of q·k
  static constexpr int kQueryPitch = kDepth * int{sizeof(Number)} + 16;               ///< bytes
  static constexpr int kPitch = kHeadDim + 4;  ///< floats; puts rows two apart into different banks
  static_assert(kQueryPitch <= kPitch * int{sizeof(float)}, "the query rows fit where the partial will be");

  float* payload;        ///< (row, kPitch): the block's own partial; the query rows until the keys are folded
  MaxSum<float>* stats;  ///< (row): its statistics
  MaxSum<float>* warp_stats;  ///< (warp, row)

  __device__ static BlockRoom at(char* memory) {
    float* payload = reinterpret_cast<float*>(memory);
    MaxSum<float>* stats = reinterpret_cast<MaxSum<float>*>(payload + kRows * kPitch);
    return {payload, stats, stats + kRows};
  }
  __device__ char* query() const { return reinterpret_cast<char*>(payload); }
};

/// One block's work. The code is kept small: at a few microseconds a call, fetching instructions is what costs.
template <class T, int kHeadDim, int kRowTiles, class Recorder>
class DecodeBlock {
  static constexpr int kRows = 8 * kRowTiles;
  static constexpr int kQuads = kHeadDim / 4;
  using Layout = TileLayout<T, kHeadDim>;
  using Room = BlockRoom<T, kHeadDim, kRows>;
  using Number = typename Room::Number;

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
        room_(Room::at(shared + plan.ring_bytes)) {}

  __device__ void run(Recorder& recorder) {
    fold(recorder);
    if (plan_.merge == SplitMerge::cluster || split_ == 0 || split_ < used_splits_) merge();
    recorder.stop();
  }

 private:
  __device__ int warp() const { return threadIdx.x / 32; }
  __device__ char* warp_tiles() const { return shared_ + warp() * plan_.stages * Layout::kBytes; }

  /// How many blocks of the unit began before this one; thread 0 alone knows. The last of a launch turns the counter to 0.
  __device__ unsigned take_ticket() const {
    const bool wanted = plan_.merge == SplitMerge::last_arriver && used_splits_ > 1 && split_ < used_splits_;
    return wanted && threadIdx.x == 0 ? atomicInc(scratch_.tickets + unit_, used_splits_ - 1) : 0;
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
    query.template expect<kRows>();
    QueryParts parts = query.template locate<Number, kHeadDim, Room::kDepth, kRows>();
    if (!plan_.kv_is_ready) wait_for_previous_kernel();
    if (p_.kv_lens) {
      kv_len = p_.kv_lens[blockIdx.z];
      keys = divide(kv_len);
    }
    recorder.start(keys.size());
    // Both are asked for before the keys, behind which they would queue for microseconds.
    const unsigned ticket = take_ticket();
    if (!plan_.kv_is_ready) query.template fetch<Number, Room::kDepth, kRows>(parts);

    const int step = plan_.warps * kTileKeys, first = keys.begin / kTileKeys * kTileKeys + warp() * kTileKeys;
    int asked = first;  // the next tile to ask for, `stages` ahead of the one that is folded
#pragma unroll 1
    for (int i = 0; i < plan_.stages && asked < keys.end; ++i, asked += step) ring.fill(asked, keys);
    typename FoldFor<T, kHeadDim, kRowTiles>::type warp_fold;
    receive(query, parts, kv_len, ticket);
    warp_fold.load_query(room_.query(), Room::kQueryPitch);

    const KeySpan all_see{visible_keys(p_, kv_len, p_.q_len - 1).begin, visible_keys(p_, kv_len, 0).end};
#pragma unroll 1
    for (int tile = first; tile < keys.end; tile += step, asked += step) {
      const bool all_seen = tile >= all_see.begin && tile + kTileKeys <= all_see.end;
      warp_fold.fold(p_, ring.wait(), tile, all_seen, rows_);
      ring.release();
      if (asked < keys.end) ring.fill(asked, keys);
    }
    warp_fold.store(room_.warp_stats + warp() * kRows, reinterpret_cast<float*>(warp_tiles()), Room::kPitch);
    __syncthreads();
  }

  /// Puts the query rows and the ticket where all warps find them, and lets the next launch begin.
  __device__ void receive(const QueryRows& query, QueryParts& parts, int kv_len, unsigned ticket) {
    if (threadIdx.x == 0) rows_.ticket = ticket;
    // A block of the next launch that does not wait may take its ticket only after this one has.
    if (plan_.kv_is_ready && plan_.merge == SplitMerge::last_arriver) __syncthreads();
    allow_next_kernel();
    if (plan_.kv_is_ready) {
      wait_for_previous_kernel();
      query.template fetch<Number, Room::kDepth, kRows>(parts);
    }
    query.template describe<kRows>(kv_len, rows_);
    query.template stage<Number, kHeadDim, Room::kDepth, kRows>(parts, room_.query(), Room::kQueryPitch);
    __syncthreads();
  }

  /// Quads [begin, begin + size) of the block's rows, of kQuads each.
  struct Slice {
    int begin, size;
    __device__ static Slice of(int quads, int index, int count) {
      const int begin = quads * index / count;
      return {begin, quads * (index + 1) / count - begin};
    }
  };

  /// Merges the warps' partials into the block's, then, if there are other splits, the splits' into the rows'.
  __device__ void merge() {
    const bool alone = used_splits_ <= 1, in_cluster = plan_.merge == SplitMerge::cluster;
    const int quads = rows_.count * kQuads;
    BlockPartials parts{.O = reinterpret_cast<float*>(shared_),
                        .stats = room_.warp_stats,
                        .O_part = plan_.stages * Layout::kBytes / 4,
                        .O_row = Room::kPitch,
                        .stats_part = kRows,
                        .count = plan_.warps};
    Slice slice{0, quads};
    bool is_last = alone;
#pragma unroll 1
    while (true) {
#pragma unroll 1
      for (int i = threadIdx.x; i < slice.size; i += blockDim.x) {
        const int row = (slice.begin + i) / kQuads, c = (slice.begin + i) % kQuads * 4;
        const MergedQuad merged = parts.merged(row, c);
        if (!is_last) store_partial(row, c, merged);
        else if (!alone || split_ == 0) store_row(p_, rows_.index[row], rows_.q_head[row], c, merged);
      }
      if (is_last) break;
      if (in_cluster) {
        synchronize_cluster();
        store_slice(Slice::of(quads, split_, plan_.rule.num_splits), plan_.rule.num_splits);
        break;
      }
      const int mergers = min(plan_.mergers, used_splits_), place = place_among(mergers);
      if (place < 0) return;
      slice = Slice::of(quads, place, mergers);
      if (used_splits_ <= kFewSplits) return store_slice(slice, used_splits_);
      __syncthreads();  // the warps' partials are read, their room is free
      parts = merge_groups(slice, used_splits_);
      is_last = true;
      __syncthreads();
    }
    if (in_cluster) leave_cluster_together();  // another block may still read this one's memory
  }

  /// The block's own partial, where the merge of the splits finds it.
  __device__ void store_partial(int row, int component, const MergedQuad& quad) {
    if (plan_.merge == SplitMerge::cluster) {
      *reinterpret_cast<float4*>(room_.payload + row * Room::kPitch + component) = quad.O;
      if (component == 0) room_.stats[row] = quad.stats;
    } else {
      partial(split_).from(row * kQuads + component / 4).hand_over(quad);
    }
  }

  /// Merges a slice of a few splits' partials and stores the rows': neighbouring lanes take kFewWidth splits each.
  __device__ void store_slice(Slice slice, int splits) {
    const int lane_bits = splits <= kFewWidth ? 0 : splits <= 2 * kFewWidth ? 1 : 2;
    const int items = slice.size << lane_bits;
#pragma unroll 1
    for (int item = threadIdx.x; item / 32 * 32 < items; item += blockDim.x) {
      const bool wanted = item < items;
      const int quad = slice.begin + (wanted ? item >> lane_bits : 0), lane = item & ((1 << lane_bits) - 1);
      const int row = quad / kQuads, c = quad % kQuads * 4;
      const int first = lane * kFewWidth, count = wanted ? splits - first : 0;
      const MergedQuad part =
          plan_.merge == SplitMerge::cluster
              ? read_cluster<kFewWidth>(room_.stats + row,
                                        reinterpret_cast<float4*>(room_.payload + row * Room::kPitch + c),
                                        first, count)
                    .merged()
              : take_splits<kFewWidth>(first, count, row, c);
      const MergedQuad merged = merge_lanes(part, 1 << lane_bits);
      if (wanted && lane == 0) store_row(p_, rows_.index[row], rows_.q_head[row], c, merged);
    }
  }

  /// Merges a slice of many splits' partials in groups of kManyWidth, into the warps' room.
  __device__ BlockPartials merge_groups(Slice slice, int splits) {
    const int groups = (splits + kManyWidth - 1) / kManyWidth;
    float4* group_O = reinterpret_cast<float4*>(shared_);
    MaxSum<float>* group_stats = reinterpret_cast<MaxSum<float>*>(group_O + groups * slice.size);
#pragma unroll 1
    for (int i = threadIdx.x; i < groups * slice.size; i += blockDim.x) {
      const int group = i / slice.size, quad = slice.begin + i - group * slice.size;
      const int row = quad / kQuads, c = quad % kQuads * 4, first = group * kManyWidth;
      const MergedQuad merged = take_splits<kManyWidth>(first, splits - first, row, c);
      group_O[i] = merged.O;
      if (quad == slice.begin || c == 0) group_stats[group * kRows + row] = merged.stats;
    }
    return {.O = reinterpret_cast<float*>(group_O - slice.begin),
            .stats = group_stats,
            .O_part = 4 * slice.size,
            .O_row = kHeadDim,
            .stats_part = kRows,
            .count = groups};
  }

  /// A quad of `count` splits from `first` on, at most kWidth, out of the scratch.
  template <int kWidth>
  __device__ MergedQuad take_splits(int first, int count, int row, int component) const {
    return partial(first)
        .from(row * kQuads + component / 4)
        .template take<kWidth, kRows * kQuads>(count)
        .merged();
  }

  /// The last `mergers` blocks to have begun merge a slice of components each; the others get −1. A merger waits for blocks
  /// that run already or are next in line, at most mergers − 1 of them.
  __device__ int place_among(int mergers) {
    const int place = static_cast<int>(rows_.ticket) - (used_splits_ - mergers);
    return max(place, -1);
  }

  /// The unit's partial of a split.
  __device__ ScratchPartials partial(int split) const {
    return scratch_.partials.from((std::int64_t{1} * unit_ * plan_.rule.num_splits + split) * kRows * kQuads);
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
__global__ void __launch_bounds__(32 * kMostWarps, 1)
    decode_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ DevicePlan plan,
                  const __grid_constant__ DecodeScratch scratch, Recorder recorder) {
  extern __shared__ __align__(128) char shared[];
  __shared__ BlockRows rows;
  __shared__ std::uint64_t barriers[kMostWarps * kMostStages];
  DecodeBlock<T, kHeadDim, kRowTiles, Recorder>(p, plan, scratch, shared, rows, barriers).run(recorder);
}

template <class T, int kHeadDim, int kRowTiles, class Recorder>
void launch_decode_kernel(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                          Recorder recorder, cudaStream_t stream) {
  constexpr int kRows = 8 * kRowTiles;
  const std::int64_t slots = std::int64_t{1} * plan.num_units * plan.rule.num_splits;
  const unsigned splits = static_cast<unsigned>(plan.rule.num_splits), batch = static_cast<unsigned>(p.batch);
  float4* payload = workspace.partials.as<float4>();
  const DecodeScratch scratch{{reinterpret_cast<float2*>(payload + slots * kRows * kHeadDim / 4), payload},
                              workspace.tickets.as<unsigned>()};
  const auto kernel = decode_kernel<T, kHeadDim, kRowTiles, Recorder>;
  // The same for every plan: it is the kernel's, and other launches and graphs of it may be under way.
  FD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.most_shared_bytes));

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

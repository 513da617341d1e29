// What rungs 5 and 6 share: a block takes 8 query rows of one KV head and one split, its warps fold tiles on tensor cores and
// leave one partial (m, l, O) per warp; the warps count as splits of the splits. How a tile comes into shared memory is the feed.
#pragma once

#include "cuda/query_rows.h"
#include "cuda/split_partials.h"

namespace fdlab {

inline constexpr int kTensorWarps = 4, kTensorRows = 8;
using TensorForm = MlUnnormalised<float, DeviceBase2>;

/// Feed: constructed from (problem, batch, kv_head, shared address, barrier address), kStages tiles of room; fill, wait, release.
template <class T, int kHeadDim, class Feed>
__global__ void __launch_bounds__(32 * kTensorWarps)
    tensor_split_kernel(const __grid_constant__ DeviceProblem p, SplitRule rule, int row_tiles,
                        SplitPartials<TensorForm> partials) {
  using Layout = TileLayout<T, kHeadDim>;
  constexpr int kPitch = 2 * kHeadDim + 16;
  extern __shared__ __align__(128) char tiles[];
  __shared__ BlockRows rows;
  __shared__ __align__(16) char query_rows[kTensorRows * kPitch];
  __shared__ std::uint64_t barriers[kTensorWarps * Feed::kStages];
  const int split = blockIdx.x % rule.num_splits, unit = blockIdx.x / rule.num_splits,
            warp = threadIdx.x / 32;
  const int row_tile = unit % row_tiles, kv_head = unit / row_tiles % p.kv_heads,
            batch = unit / row_tiles / p.kv_heads;
  const int kv_len = kv_len_of(p, batch);
  const KeySpan keys = rule.split(sequence_span(p, kv_len), split);

  const QueryRows query(p, batch, kv_head, p.group(), row_tile * kTensorRows);
  query.template describe<kTensorRows>(kv_len, rows);
  QueryParts parts = query.template locate<T, kHeadDim, kHeadDim, kTensorRows>();
  query.template fetch<T, kHeadDim, kTensorRows>(parts);
  query.template stage<T, kHeadDim, kHeadDim, kTensorRows>(parts, query_rows, kPitch);
  __syncthreads();

  WarpFold<T, kHeadDim, 1> fold;
  fold.load_query(query_rows, kPitch);
  Feed feed(p, batch, kv_head, shared_address(tiles + warp * Feed::kStages * Layout::kBytes),
            shared_address(barriers + warp * Feed::kStages));
  const KeySpan all_see{visible_keys(p, kv_len, p.q_len - 1).begin, visible_keys(p, kv_len, 0).end};
  const int step = kTensorWarps * kTileKeys, first = keys.begin / kTileKeys * kTileKeys + warp * kTileKeys;
  for (int s = 0; s < Feed::kStages && first + s * step < keys.end; ++s) feed.fill(first + s * step, keys);
  for (int tile = first; tile < keys.end; tile += step) {
    const bool all_seen = tile >= all_see.begin && tile + kTileKeys <= all_see.end;
    fold.fold(p, feed.wait(), tile, all_seen, rows);
    feed.release();
    if (tile + Feed::kStages * step < keys.end) feed.fill(tile + Feed::kStages * step, keys);
  }

  __shared__ MaxSum<float> stats[kTensorWarps][kTensorRows];
  float* O = reinterpret_cast<float*>(tiles + warp * Feed::kStages * Layout::kBytes);
  fold.store(stats[warp], O, kHeadDim);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < rows.count * kHeadDim; i += 32) {
    const int row = i / kHeadDim, c = i % kHeadDim, part = split * kTensorWarps + warp;
    partials.payload_of(rows.index[row], part)[c] = O[i];
    if (c == 0) partials.stats[partials.slot(rows.index[row], part)] = stats[warp][row];
  }
}

/// Launches the kernel for the problem's type and head size, then the merge.
template <template <class, int> class Feed>
void launch_tensor_split(const DeviceProblem& p, const CudaPlan& plan, const Workspace& workspace,
                         cudaStream_t stream) {
  if (p.num_rows() == 0) return;
  CudaPlan per_warp = plan;
  per_warp.rule.num_splits *= kTensorWarps;
  const auto partials = SplitPartials<TensorForm>::in(workspace, p, per_warp);
  const int row_tiles = (p.group() * p.q_len + kTensorRows - 1) / kTensorRows;
  const unsigned blocks = static_cast<unsigned>(p.batch * p.kv_heads * row_tiles * plan.rule.num_splits);
  const auto launch = [&](auto tag, auto dim) {
    using T = typename decltype(tag)::type;
    constexpr int kHeadDim = decltype(dim)::value;
    using Source = Feed<T, kHeadDim>;
    const auto kernel = tensor_split_kernel<T, kHeadDim, Source>;
    constexpr int kBytes = kTensorWarps * Source::kStages * TileLayout<T, kHeadDim>::kBytes;
    FD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    kernel<<<blocks, 32 * kTensorWarps, kBytes, stream>>>(p, plan.rule, row_tiles, partials);
    FD_CUDA(cudaGetLastError());
  };
  const auto for_type = [&](auto tag) {
    if (p.head_dim == 64) launch(tag, std::integral_constant<int, 64>{});
    else launch(tag, std::integral_constant<int, 128>{});
  };
  if (p.k.type == DType::f16) for_type(TypeTag<__half>{});
  else for_type(TypeTag<__nv_bfloat16>{});
  launch_merge_splits(p, partials, stream);
}

}  // namespace fdlab

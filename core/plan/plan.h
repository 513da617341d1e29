// A plan says, before anything is computed, what is in a tile, which stream folds it, and in what order the streams
// merge. It is affine: everything is a formula of a few integers, so a plan of 10^9 tiles costs nothing.
//
//   tile t        = keys [t·tile_size, min((t+1)·tile_size, kv_len))          the last tile may be short
//   stream s      = tiles first + k·stride, k = 0 … count−1                    count may be 0: an empty stream
//   merge order   = how the streams' partials become one
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace fdlab {

class GivenTree;

/// How tiles are dealt to streams.
enum class Deal : std::uint8_t {
  round_robin,  ///< tile t goes to stream t mod num_streams
  contiguous,   ///< ceil(tiles / streams) neighbouring tiles each; late streams may be empty
  balanced,     ///< neighbouring tiles, counts that differ by at most one
};

/// How the streams' partials are merged.
enum class MergeOrder : std::uint8_t {
  sequential,  ///< ((s0 ⊕ s1) ⊕ s2) ⊕ …
  tree,  ///< pairwise: neighbours, level by level (an odd last one passes through), or as a caller lists it
  two_step,  ///< first S of the whole row, stream by stream; then one weighted sum of the payloads
  flat,      ///< all at once
};

/// True where ⊕ joins two nodes at a time (core/plan/merge_tree.h), false where all are joined at once.
constexpr bool merges_in_pairs(MergeOrder order) {
  return order == MergeOrder::sequential || order == MergeOrder::tree;
}

/// A named order, or a tree that a caller lists, whose order is `tree`.
class MergeRule {
 public:
  MergeRule(MergeOrder order) : order_(order) {}
  MergeRule(GivenTree tree);

  operator MergeOrder() const { return order_; }
  /// Null for a named order.
  const GivenTree* given() const { return given_.get(); }

 private:
  MergeOrder order_;
  std::shared_ptr<const GivenTree> given_;
};

const char* name_of(Deal deal);
const char* name_of(MergeOrder order);
const char* name_of(const MergeRule& merge);  ///< that of its order, or "given-tree"
std::optional<Deal> deal_from_name(const std::string& name);
std::optional<MergeOrder> merge_order_from_name(const std::string& name);

/// Keys [begin, end).
struct KeyRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Tiles first, first + stride, …, count of them.
struct TileRun {
  std::int64_t first = 0, stride = 1, count = 0;
  std::int64_t tile(std::int64_t k) const { return first + k * stride; }
};

/// The plan of one sequence (all its heads share it).
struct DecodePlan {
  std::int64_t kv_len = 0;
  std::int64_t tile_size = 256;
  std::int64_t num_streams = 1;
  Deal deal = Deal::round_robin;
  MergeRule merge = MergeOrder::sequential;

  std::int64_t num_tiles() const { return (kv_len + tile_size - 1) / tile_size; }
  KeyRange tile(std::int64_t t) const;
  TileRun stream(std::int64_t s) const;

  std::int64_t stream_of(std::int64_t t) const;
  /// Place of tile t in its stream: 0 for the tile that opens the stream.
  std::int64_t place_in_stream(std::int64_t t) const;
  /// Streams whose first tile comes before tile t.
  std::int64_t streams_opened_before(std::int64_t t) const;
};

/// One sentence saying what is wrong with the plan, or nothing.
std::optional<std::string> find_fault(const DecodePlan& plan);

}  // namespace fdlab

// A merge tree that a caller lists: any binary tree over streams 0 … leaves−1, each of them a leaf once. Its merges are
// numbered as those of the named orders are: level by level, from left to right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

class GivenTree {
 public:
  /// Leaves are nodes 0 … leaves−1; merge i makes node leaves + i from two nodes before it.
  struct Merge {
    std::int64_t a, b;
    std::int64_t level;                 ///< 1 where both sides are leaves
    std::int64_t leaf_begin, leaf_end;  ///< from the lowest leaf under it to behind the highest
  };

  /// Stands for ⊕ of the two trees before it.
  static constexpr std::int64_t kJoin = -1;

  /// Leaves and kJoin in postfix order: {0, 1, kJoin, 2, kJoin} is (0 ⊕ 1) ⊕ 2. Refuses what is not one binary tree with
  /// every leaf from 0 to the highest once.
  static Result<GivenTree> from_postfix(std::span<const std::int64_t> symbols);

  std::int64_t leaves() const { return static_cast<std::int64_t>(merges_.size()) + 1; }
  const Merge& merge(std::int64_t i) const { return merges_[static_cast<std::size_t>(i)]; }

 private:
  explicit GivenTree(std::vector<Merge> merges) : merges_(std::move(merges)) {}
  std::vector<Merge> merges_;
};

}  // namespace fdlab

// The binary merges of a plan. Leaves are the streams' partials, nodes 0 … leaves−1; merge i (in the order in which they
// are done) makes node leaves + i. Sequential merges chain to the right; tree merges pair neighbours level by level, and
// an odd last node passes through to the next level unchanged (derivation 3.1.3): both are formulas. A given tree is
// looked up.
#pragma once

#include <cstdint>
#include <utility>

#include "core/plan/plan.h"

namespace fdlab {

struct MergeTree {
  /// Two-step and flat orders have no binary merges.
  MergeTree(MergeRule merge, std::int64_t leaves) : rule_(std::move(merge)), leaves_(leaves) {}

  std::int64_t leaves() const { return leaves_; }
  std::int64_t num_merges() const;
  /// The node that holds the whole row: the last merge, or the single leaf.
  std::int64_t root() const { return leaves_ + num_merges() - 1; }

  struct Children {
    std::int64_t a, b;
  };
  /// The two nodes that merge i joins, a before b in key order of the deal.
  Children children(std::int64_t merge) const;

  /// Leaves under a node, as a range of stream indices: from the lowest to behind the highest, which in a given tree may
  /// have leaves of other nodes between them.
  struct LeafRange {
    std::int64_t begin, end;
  };
  LeafRange leaf_range(std::int64_t node) const;

  /// Level of a merge, from 1 next to the leaves up to num_levels().
  std::int64_t level(std::int64_t merge) const;
  std::int64_t num_levels() const;

 private:
  struct Place {
    std::int64_t level, position;
  };
  std::int64_t width(std::int64_t level) const;  // nodes on a level of the tree, passed-through ones included
  std::int64_t merges_before(std::int64_t level) const;  // merges done before those of a level
  Place place(std::int64_t merge) const;
  std::int64_t node_at(std::int64_t level, std::int64_t position) const;

  MergeRule rule_;
  std::int64_t leaves_;
};

}  // namespace fdlab

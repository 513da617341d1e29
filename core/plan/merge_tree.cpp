#include "core/plan/merge_tree.h"

#include <algorithm>

#include "core/plan/given_tree.h"

namespace fdlab {

std::int64_t MergeTree::num_merges() const {
  return merges_in_pairs(rule_) ? std::max<std::int64_t>(0, leaves_ - 1) : 0;
}

std::int64_t MergeTree::width(std::int64_t level) const {
  return (leaves_ + (std::int64_t{1} << level) - 1) >> level;
}

std::int64_t MergeTree::merges_before(std::int64_t level) const {
  // Each merge removes one node, and level−1 of them have left width(level−1) nodes.
  return leaves_ - width(level - 1);
}

MergeTree::Place MergeTree::place(std::int64_t merge) const {
  std::int64_t level = 1;
  while (merges_before(level + 1) <= merge) ++level;
  return {level, merge - merges_before(level)};
}

std::int64_t MergeTree::node_at(std::int64_t level, std::int64_t position) const {
  while (level > 0 && 2 * position + 1 >= width(level - 1)) {  // passed through: look one level down
    position *= 2;
    --level;
  }
  return level == 0 ? position : leaves_ + merges_before(level) + position;
}

MergeTree::Children MergeTree::children(std::int64_t merge) const {
  if (const GivenTree* given = rule_.given()) return {given->merge(merge).a, given->merge(merge).b};
  if (rule_ == MergeOrder::sequential) return {merge == 0 ? 0 : leaves_ + merge - 1, merge + 1};
  const Place at = place(merge);
  return {node_at(at.level - 1, 2 * at.position), node_at(at.level - 1, 2 * at.position + 1)};
}

MergeTree::LeafRange MergeTree::leaf_range(std::int64_t node) const {
  if (node < leaves_) return {node, node + 1};
  const std::int64_t merge = node - leaves_;
  if (const GivenTree* given = rule_.given())
    return {given->merge(merge).leaf_begin, given->merge(merge).leaf_end};
  if (rule_ == MergeOrder::sequential) return {0, merge + 2};
  const Place at = place(merge);
  const std::int64_t span = std::int64_t{1} << at.level;
  return {at.position * span, std::min((at.position + 1) * span, leaves_)};
}

std::int64_t MergeTree::level(std::int64_t merge) const {
  if (const GivenTree* given = rule_.given()) return given->merge(merge).level;
  return rule_ == MergeOrder::sequential ? merge + 1 : place(merge).level;
}

std::int64_t MergeTree::num_levels() const { return num_merges() == 0 ? 0 : level(num_merges() - 1); }

}  // namespace fdlab

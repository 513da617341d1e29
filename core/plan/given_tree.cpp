#include "core/plan/given_tree.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace fdlab {
namespace {

std::optional<Fault> fault_in_leaves(std::span<const std::int64_t> symbols) {
  std::vector<std::int64_t> leaves;
  for (const std::int64_t symbol : symbols)
    if (symbol != GivenTree::kJoin) leaves.push_back(symbol);
  std::sort(leaves.begin(), leaves.end());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto expected = static_cast<std::int64_t>(i);
    if (leaves[i] < expected)  // those below were each found once
      return Fault{"expected every stream once, found stream " + std::to_string(leaves[i]) + " twice"};
    if (leaves[i] > expected)
      return Fault{"expected every stream from 0 to " + std::to_string(leaves.back()) + " once, found no " +
                   std::to_string(expected)};
  }
  return std::nullopt;
}

/// A node and what is under it, while the tree is read.
struct Subtree {
  std::int64_t node, level, leaf_begin, leaf_end;
};

GivenTree::Merge join(const Subtree& a, const Subtree& b) {
  return {a.node, b.node, std::max(a.level, b.level) + 1, std::min(a.leaf_begin, b.leaf_begin),
          std::max(a.leaf_end, b.leaf_end)};
}

/// Merges that were found from the bottom up, left before right, renumbered level by level.
std::vector<GivenTree::Merge> by_level(const std::vector<GivenTree::Merge>& found, std::int64_t leaves) {
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return found[i].level < found[j].level; });
  std::vector<std::int64_t> number(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = leaves + static_cast<std::int64_t>(i);

  std::vector<GivenTree::Merge> merges;
  for (const std::size_t i : order) {
    merges.push_back(found[i]);
    for (std::int64_t* child : {&merges.back().a, &merges.back().b})
      if (*child >= leaves) *child = number[static_cast<std::size_t>(*child - leaves)];
  }
  return merges;
}

}  // namespace

Result<GivenTree> GivenTree::from_postfix(std::span<const std::int64_t> symbols) {
  const auto joins = std::count(symbols.begin(), symbols.end(), kJoin);
  const std::int64_t leaves = static_cast<std::int64_t>(symbols.size()) - joins;
  std::vector<Merge> found;
  std::vector<Subtree> open;
  for (const std::int64_t symbol : symbols) {
    if (symbol != kJoin) {
      open.push_back({symbol, 0, symbol, symbol + 1});
      continue;
    }
    if (open.size() < 2) return Fault{"expected two trees before every join, found fewer"};
    const Subtree b = open.back();
    open.pop_back();
    const Merge merge = join(open.back(), b);
    open.back() = {leaves + static_cast<std::int64_t>(found.size()), merge.level, merge.leaf_begin,
                   merge.leaf_end};
    found.push_back(merge);
  }
  if (open.size() != 1) return Fault{"expected one tree, found " + std::to_string(open.size())};
  if (auto fault = fault_in_leaves(symbols)) return *fault;
  return GivenTree(by_level(found, leaves));
}

}  // namespace fdlab

// Merge trees as tests write them: in postfix order (core/plan/given_tree.h), and as the text of a file.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/plan/given_tree.h"
#include "core/plan/merge_tree.h"

namespace fdlab {

using Postfix = std::vector<std::int64_t>;

inline GivenTree tree_of(const Postfix& symbols) {
  Result<GivenTree> tree = GivenTree::from_postfix(symbols);
  REQUIRE_MESSAGE(tree, (tree ? "" : tree.fault().sentence));
  return std::move(*tree);
}

inline Postfix joined(Postfix a, const Postfix& b) {
  a.insert(a.end(), b.begin(), b.end());
  a.push_back(GivenTree::kJoin);
  return a;
}

/// Every shape of a binary tree over leaves [begin, end): 1, 1, 2, 5, 14, … of them (Catalan).
inline std::vector<Postfix> all_shapes(std::int64_t begin, std::int64_t end) {
  if (end - begin == 1) return {{begin}};
  std::vector<Postfix> shapes;
  for (std::int64_t middle = begin + 1; middle < end; ++middle)
    for (const Postfix& a : all_shapes(begin, middle))
      for (const Postfix& b : all_shapes(middle, end)) shapes.push_back(joined(a, b));
  return shapes;
}

/// Leaf i becomes leaf order[i].
inline Postfix relabelled(Postfix symbols, const std::vector<std::int64_t>& order) {
  for (std::int64_t& symbol : symbols)
    if (symbol != GivenTree::kJoin) symbol = order[static_cast<std::size_t>(symbol)];
  return symbols;
}

/// A named order's tree, listed.
inline Postfix postfix_of(const MergeTree& tree, std::int64_t node) {
  if (node < tree.leaves()) return {node};
  const auto [a, b] = tree.children(node - tree.leaves());
  return joined(postfix_of(tree, a), postfix_of(tree, b));
}

inline std::string list_of(const Postfix& symbols) {
  std::vector<std::string> open;
  for (const std::int64_t symbol : symbols) {
    std::string text = std::to_string(symbol);
    if (symbol == GivenTree::kJoin) {
      text = "[" + open[open.size() - 2] + ", " + open.back() + "]";
      open.resize(open.size() - 2);
    }
    open.push_back(text);
  }
  return open.back();
}

inline std::string merge_tree_file(const std::string& tree) {
  return R"({"format": "fdlab-merge-tree", "version": 1, "tree": )" + tree + "}";
}

}  // namespace fdlab

#include "core/plan/merge_tree.h"

#include <doctest/doctest.h>

#include <vector>

using namespace fdlab;

namespace {

/// The tree as the derivation's listing builds it: level by level, with lists.
std::vector<MergeTree::Children> listed_tree(std::int64_t leaves) {
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < leaves; ++i) row.push_back(i);
  std::vector<MergeTree::Children> merges;
  while (row.size() > 1) {
    std::vector<std::int64_t> next;
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
      next.push_back(leaves + static_cast<std::int64_t>(merges.size()));
      merges.push_back({row[i], row[i + 1]});
    }
    if (row.size() % 2) next.push_back(row.back());
    row = next;
  }
  return merges;
}

}  // namespace

TEST_CASE("tree merges follow the level-by-level listing") {
  for (std::int64_t leaves = 1; leaves <= 70; ++leaves) {
    const MergeTree tree(MergeOrder::tree, leaves);
    const auto expected = listed_tree(leaves);
    REQUIRE(tree.num_merges() == static_cast<std::int64_t>(expected.size()));
    for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
      CAPTURE(leaves);
      CAPTURE(i);
      CHECK(tree.children(i).a == expected[static_cast<std::size_t>(i)].a);
      CHECK(tree.children(i).b == expected[static_cast<std::size_t>(i)].b);
    }
  }
}

TEST_CASE("every leaf lies under the root, and children split their parent's leaves") {
  for (const MergeOrder order : {MergeOrder::sequential, MergeOrder::tree})
    for (const std::int64_t leaves : {1, 2, 3, 7, 8, 11, 132}) {
      const MergeTree tree(order, leaves);
      CHECK(tree.leaf_range(tree.root()).begin == 0);
      CHECK(tree.leaf_range(tree.root()).end == leaves);
      for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
        const auto [a, b] = tree.children(i);
        CHECK(tree.leaf_range(a).begin == tree.leaf_range(leaves + i).begin);
        CHECK(tree.leaf_range(a).end == tree.leaf_range(b).begin);
        CHECK(tree.leaf_range(b).end == tree.leaf_range(leaves + i).end);
      }
    }
}

TEST_CASE("a billion leaves cost nothing") {
  const MergeTree tree(MergeOrder::tree, 1'000'000'000);
  CHECK(tree.num_levels() == 30);
  CHECK(tree.children(tree.num_merges() - 1).a < tree.root());
  CHECK(tree.leaf_range(tree.root()).end == 1'000'000'000);
}

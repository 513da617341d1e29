#include "core/plan/given_tree.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/merge_trees.h"

using namespace fdlab;

namespace {

constexpr std::int64_t J = GivenTree::kJoin;

std::string fault_of(const Postfix& symbols) {
  const auto tree = GivenTree::from_postfix(symbols);
  return tree ? "" : tree.fault().sentence;
}

}  // namespace

TEST_CASE("a named order, listed as a tree, has the same merges, levels and leaves") {
  for (const MergeOrder order : {MergeOrder::sequential, MergeOrder::tree})
    for (std::int64_t leaves = 1; leaves <= 40; ++leaves) {
      const MergeTree named(order, leaves);
      const MergeTree given(tree_of(postfix_of(named, named.root())), leaves);
      CAPTURE(name_of(order));
      CAPTURE(leaves);
      REQUIRE(given.num_merges() == named.num_merges());
      CHECK(given.root() == named.root());
      CHECK(given.num_levels() == named.num_levels());
      for (std::int64_t i = 0; i < named.num_merges(); ++i) {
        CHECK(given.children(i).a == named.children(i).a);
        CHECK(given.children(i).b == named.children(i).b);
        CHECK(given.level(i) == named.level(i));
        CHECK(given.leaf_range(leaves + i).begin == named.leaf_range(leaves + i).begin);
        CHECK(given.leaf_range(leaves + i).end == named.leaf_range(leaves + i).end);
      }
    }
}

TEST_CASE("every shape over 5 leaves: each node joins once, children come first, levels never fall") {
  std::set<std::vector<std::int64_t>> different;
  for (const Postfix& shape : all_shapes(0, 5)) {
    different.insert(shape);
    const MergeTree tree(tree_of(relabelled(shape, {3, 0, 4, 1, 2})), 5);
    std::set<std::int64_t> joined_nodes;
    for (std::int64_t i = 0; i < tree.num_merges(); ++i) {
      for (const std::int64_t child : {tree.children(i).a, tree.children(i).b}) {
        CHECK(child < 5 + i);
        CHECK(joined_nodes.insert(child).second);
        CHECK((child < 5 || tree.level(child - 5) < tree.level(i)));
      }
      if (i > 0) CHECK(tree.level(i) >= tree.level(i - 1));
    }
    CHECK(joined_nodes.size() == 8);
    CHECK(tree.leaf_range(tree.root()).end == 5);
  }
  CHECK(different.size() == 14);
}

TEST_CASE("the left side of a merge stays the left side") {
  const MergeTree tree(tree_of({2, 0, J, 1, J}), 3);
  CHECK(tree.children(0).a == 2);
  CHECK(tree.children(0).b == 0);
  CHECK(tree.children(1).a == 3);
  CHECK(tree.children(1).b == 1);
  CHECK(tree.leaf_range(3).begin == 0);  // from the lowest leaf to behind the highest
  CHECK(tree.leaf_range(3).end == 3);
}

TEST_CASE("what is no tree over all streams is refused") {
  CHECK(fault_of({0}) == "");
  CHECK(fault_of({0, 1, J}) == "");
  CHECK(fault_of({}) == "expected one tree, found 0");
  CHECK(fault_of({0, 1}) == "expected one tree, found 2");
  CHECK(fault_of({0, J}) == "expected two trees before every join, found fewer");
  CHECK(fault_of({J}) == "expected two trees before every join, found fewer");
  CHECK(fault_of({0, 1, J, 1, J}) == "expected every stream once, found stream 1 twice");
  CHECK(fault_of({0, 0, J}) == "expected every stream once, found stream 0 twice");
  CHECK(fault_of({0, 1, J, 3, J}) == "expected every stream from 0 to 3 once, found no 2");
  CHECK(fault_of({1}) == "expected every stream from 0 to 1 once, found no 0");
  CHECK(fault_of({0, 1'000'000'000'000, J}).find("found no 1") != std::string::npos);
}

TEST_CASE("a plan refuses a tree over another number of streams") {
  DecodePlan plan{.kv_len = 10, .tile_size = 2, .num_streams = 3, .merge = tree_of({0, 1, J})};
  CHECK(*find_fault(plan) == "expected a merge tree over 3 streams, found one over 2");
  plan.num_streams = 1;
  CHECK(*find_fault(plan) == "expected a merge tree over 1 stream, found one over 2");
  plan.num_streams = 2;
  CHECK_FALSE(find_fault(plan));
  CHECK(std::string(name_of(plan.merge)) == "given-tree");
  CHECK_FALSE(merge_order_from_name("given-tree"));
}

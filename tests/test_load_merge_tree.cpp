#include "core/io/load_merge_tree.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/merge_trees.h"
#include "tests/temporary_folder.h"

using namespace fdlab;

namespace {

std::string refusal(const std::string& text) {
  const auto tree = parse_merge_tree(text, "t.json");
  return tree ? "" : tree.fault().sentence;
}

/// A chain of `leaves` streams, nested on one side.
std::string chain(std::int64_t leaves, bool to_the_left) {
  std::string text = "0";
  if (to_the_left) {
    text = std::string(static_cast<std::size_t>(leaves - 1), '[') + "0";
    for (std::int64_t leaf = 1; leaf < leaves; ++leaf) text += "," + std::to_string(leaf) + "]";
  } else {
    text.clear();
    for (std::int64_t leaf = 0; leaf < leaves - 1; ++leaf) text += "[" + std::to_string(leaf) + ",";
    text += std::to_string(leaves - 1) + std::string(static_cast<std::size_t>(leaves - 1), ']');
  }
  return merge_tree_file(text);
}

}  // namespace

TEST_CASE("the committed file of version 1 is read") {
  const auto tree = load_merge_tree(FDLAB_TEST_DATA "/formats/merge-tree-v1.json");
  REQUIRE(tree);
  CHECK(tree->leaves() == 5);
  CHECK(tree->merge(0).a == 0);
  CHECK(tree->merge(1).a == 3);
  CHECK(tree->merge(2).a == 2);
  CHECK(tree->merge(2).b == 6);
  CHECK(tree->merge(3).b == 7);
}

TEST_CASE("every shape over 5 leaves goes through its text") {
  for (const Postfix& shape : all_shapes(0, 5)) {
    const auto read = parse_merge_tree(merge_tree_file(list_of(shape)), "t.json");
    REQUIRE(read);
    const GivenTree expected = tree_of(shape);
    for (std::int64_t i = 0; i < 4; ++i) {
      CHECK(read->merge(i).a == expected.merge(i).a);
      CHECK(read->merge(i).b == expected.merge(i).b);
    }
  }
  CHECK(parse_merge_tree(merge_tree_file("0"), "t.json")->leaves() == 1);
}

TEST_CASE("a chain of a million merges is read, nested on either side") {
  for (const bool to_the_left : {true, false}) {
    const auto tree = parse_merge_tree(chain(1'000'001, to_the_left), "t.json");
    REQUIRE(tree);
    CHECK(tree->leaves() == 1'000'001);
    CHECK(tree->merge(999'999).level == 1'000'000);
    CHECK(tree->merge(0).a == (to_the_left ? 0 : 999'999));
  }
}

TEST_CASE("what is no such file is refused in one sentence") {
  const auto tree = [](const std::string& text) { return refusal(merge_tree_file(text)); };
  CHECK(tree("[[0,1],[2,1]]") == "t.json: expected every stream once, found stream 1 twice");
  CHECK(tree("[[0,1],[2,4]]") == "t.json: expected every stream from 0 to 4 once, found no 3");
  CHECK(tree("[0,1,2]") == "t.json: expected lists of two in 'tree', found one of 3");
  CHECK(tree("[[0],1]") == "t.json: expected lists of two in 'tree', found one of 1");
  CHECK(tree("[]") == "t.json: expected lists of two in 'tree', found one of 0");
  for (const char* leaf :
       {"-1", "1.5", "\"1\"", "null", "true", "1e3", "9223372036854775807", "18446744073709551615"})
    CHECK(tree(std::string("[0,") + leaf + "]") ==
          std::string("t.json: expected the numbers of streams and lists of two in 'tree', found ") +
              (std::string(leaf) == "1e3" ? "1000.0" : leaf));
  CHECK(tree("[0,{}]").find("found an object") != std::string::npos);

  CHECK(refusal("").find("expected JSON") != std::string::npos);
  CHECK(refusal("[[0,1],2]") == "t.json: expected a JSON object, found a list");
  CHECK(refusal("{}") == "t.json: expected the field 'format', found none");
  CHECK(refusal(R"({"format": "fdlab-merge-tree", "version": 1})") ==
        "t.json: expected the field 'tree', found none");
  CHECK(refusal(R"({"format": "fdlab-run", "version": 1, "tree": 0})") ==
        "t.json: expected 'format' to be \"fdlab-merge-tree\", found \"fdlab-run\"");
  CHECK(refusal(R"({"format": "fdlab-merge-tree", "version": 2, "tree": 0})") ==
        "t.json: expected 'version' to be 1, found 2");
  CHECK(refusal(R"({"format": "fdlab-merge-tree", "version": 1, "tree": 0, "order": 1})") ==
        "t.json: expected no field 'order', found it");
  CHECK(refusal(R"({"format": "fdlab-merge-tree", "version": 1, "tree": 0, "tree": 0})") ==
        "t.json: expected every field once, found 'tree' twice");
}

TEST_CASE("nesting that is no tree ends in a sentence, however deep it goes") {
  const std::string deep(1'000'000, '['), back(1'000'000, ']');
  CHECK(refusal(merge_tree_file(deep + back)).find("found one of 1") != std::string::npos);
  CHECK(refusal(merge_tree_file(deep)).find("expected JSON") != std::string::npos);
  CHECK(refusal(R"({"format": )" + deep + back + R"(, "version": 1, "tree": 0})").find("found a list") !=
        std::string::npos);
  CHECK(refusal(R"({"a": )" + deep + back + "}") == "t.json: expected no field 'a', found it");
}

TEST_CASE("a missing and an empty file are refused by name") {
  const TemporaryFolder folder;
  CHECK(load_merge_tree(folder / "none.json").fault().sentence.find("none.json: expected a readable file") !=
        std::string::npos);
  std::ofstream(folder / "empty.json");
  CHECK(load_merge_tree(folder / "empty.json").fault().sentence.find("empty.json: expected JSON") !=
        std::string::npos);
}

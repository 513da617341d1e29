#include "core/io/load_merge_tree.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/io/printable.h"
#include "core/io/strict_json.h"

namespace fdlab {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "fdlab-merge-tree";
constexpr std::int64_t kVersion = 1;

std::optional<std::string> fault_in_fields(const json& file) {
  for (const auto& [field, value] : file.items())
    if (field != "format" && field != "version" && field != "tree")
      return fmt::format("expected no field '{}', found it", printable(field, 40));
  for (const char* field : {"format", "version", "tree"})
    if (!file.contains(field)) return fmt::format("expected the field '{}', found none", field);
  if (file["format"] != kFormat)
    return fmt::format("expected 'format' to be \"{}\", found {}", kFormat, quoted(file["format"]));
  if (file["version"] != kVersion)
    return fmt::format("expected 'version' to be {}, found {}", kVersion, quoted(file["version"]));
  return std::nullopt;
}

std::optional<std::string> fault_in_node(const json& node) {
  if (node.is_array()) {
    if (node.size() == 2) return std::nullopt;
    return fmt::format("expected lists of two in 'tree', found one of {}", node.size());
  }
  const bool is_stream = node.is_number_unsigned() &&
                         node.get<std::uint64_t>() < std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (is_stream) return std::nullopt;
  return fmt::format("expected the numbers of streams and lists of two in 'tree', found {}", quoted(node));
}

/// The tree in postfix order. Without recursion: a chain of a million merges is a million lists deep.
Result<GivenTree> read_tree(const json& root) {
  struct Visit {
    const json* node;
    std::size_t next;  // child
  };
  std::vector<Visit> open{{&root, 0}};
  std::vector<std::int64_t> symbols;
  while (!open.empty()) {
    const json& node = *open.back().node;
    const std::size_t child = open.back().next++;
    if (const auto fault = fault_in_node(node)) return Fault{*fault};
    if (node.is_array() && child < 2) {
      open.push_back({&node[child], 0});
      continue;
    }
    symbols.push_back(node.is_array() ? GivenTree::kJoin : node.get<std::int64_t>());
    open.pop_back();
  }
  return GivenTree::from_postfix(symbols);
}

}  // namespace

Result<GivenTree> parse_merge_tree(std::string_view text, const std::string& name) {
  const Result<json> file = parse_json_object(text, name, std::numeric_limits<int>::max());
  if (!file) return file.fault();
  const auto in_file = [&](const std::string& sentence) { return Fault{printable(name) + ": " + sentence}; };
  if (const auto fault = fault_in_fields(*file)) return in_file(*fault);
  Result<GivenTree> tree = read_tree((*file)["tree"]);
  if (!tree) return in_file(tree.fault().sentence);
  return tree;
}

Result<GivenTree> load_merge_tree(const std::string& path) {
  const Result<MappedFile> file = map_file(path);
  if (!file) return file.fault();
  return parse_merge_tree({reinterpret_cast<const char*>(file->data.get()), file->size}, path);
}

}  // namespace fdlab

// A merge tree from a file (fdlab-merge-tree, see FORMATS.md): lists of two, nested, with streams as leaves.
#pragma once

#include <string>
#include <string_view>

#include "core/io/result.h"
#include "core/plan/given_tree.h"

namespace fdlab {

/// `name` stands for the file in sentences. Any depth is read.
Result<GivenTree> parse_merge_tree(std::string_view text, const std::string& name);

Result<GivenTree> load_merge_tree(const std::string& path);

}  // namespace fdlab

// The walk along a name, "tile[8].m", segment by segment: what the names of both kinds of scene share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "lessons/expression.h"
#include "lessons/expression_tree.h"

namespace fdlab {

class PathWalk {
 protected:
  explicit PathWalk(const std::vector<PathSegment>& path) : path_(path) {}

  const PathSegment& take() { return path_[at_++]; }
  const PathSegment& peek() const { return path_[at_]; }
  bool at_end() const { return at_ == path_.size(); }

  /// The value that the path has led to, known once all of the path is. Nothing may be left over.
  ExpressionValue finished(ExpressionValue value) const {
    if (!at_end())
      throw ExpressionError{path_[at_].position, fmt::format("expected nothing after \"{}\", found \".{}\"",
                                                             path_[at_ - 1].name, path_[at_].name)};
    for (const PathSegment& segment : path_) value.known_at = std::max(value.known_at, segment.known_at);
    return value;
  }

  /// The segment, which must have no index.
  static const PathSegment& plain(const PathSegment& segment) {
    if (!segment.index) return segment;
    throw ExpressionError{segment.position, fmt::format("expected \"{}\" without an index", segment.name)};
  }
  [[noreturn]] static void fail(const PathSegment& segment, std::string_view expected) {
    throw ExpressionError{segment.position, fmt::format("expected {}, found \"{}\"", expected, segment.name)};
  }

 private:
  const std::vector<PathSegment>& path_;
  std::size_t at_ = 0;
};

}  // namespace fdlab

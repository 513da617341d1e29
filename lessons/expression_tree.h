// The parsed form of an expression, shared by the grammar (expression.cpp) and the names (expression_names.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/expression.h"

namespace fdlab {

/// The first thing that is wrong ends parsing or evaluation; caught where the public functions return.
struct ExpressionError {
  std::size_t position;  ///< byte in the source, from 0
  std::string message;
};

struct Expression::Node {
  enum class Kind : std::uint8_t { number, path, call, negate, add, subtract, multiply, divide };
  Kind kind = Kind::number;
  std::size_t position = 0;
  double number = 0;

  /// path: tile[8].m is the segments "tile" with an index and "m" without.
  struct Segment {
    std::string name;
    std::size_t position = 0;
    std::shared_ptr<const Node> index;
  };
  std::vector<Segment> path;

  std::string function;                               // call
  std::vector<std::shared_ptr<const Node>> operands;  // call, arithmetic
};

/// A segment with its index worked out.
struct PathSegment {
  std::string_view name;
  std::size_t position = 0;
  std::optional<std::int64_t> index;
  std::int64_t known_at = 0;  ///< of the index
};

/// What a path such as tile[8].m names, in a scope with a trace. Throws ExpressionError.
ExpressionValue resolve_path(const std::vector<PathSegment>& path, const ExpressionScope& scope);
/// What a path such as b.time_us names, in a scope with a GPU. Throws ExpressionError.
ExpressionValue resolve_gpu_path(const std::vector<PathSegment>& path, const ExpressionScope& scope);

/// A whole number by nature, and any other.
inline ExpressionValue count_value(std::int64_t number, const char* unit = "") {
  ExpressionValue value;
  value.number = static_cast<double>(number);
  value.is_count = true;
  value.unit = unit;
  return value;
}
inline ExpressionValue measure_value(double number, Quantity quantity = Quantity::none,
                                     const char* unit = "") {
  ExpressionValue value;
  value.number = number;
  value.quantity = quantity;
  value.unit = unit;
  return value;
}

/// A function applied to numbers: exp, ln, max …, at_merge. Throws ExpressionError.
ExpressionValue call_function(const std::string& name, std::size_t position,
                              const std::vector<ExpressionValue>& arguments, const ExpressionScope& scope);

}  // namespace fdlab

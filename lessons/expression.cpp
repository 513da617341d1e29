// Grammar, by recursive descent:
//   sum      = product { ("+" | "-") product }
//   product  = factor { ("*" | "/") factor }
//   factor   = "-" factor | number | "(" sum ")" | function "(" sum { "," sum } ")" | path
//   path     = name [ "[" sum "]" ] { "." name [ "[" sum "]" ] }
#include "lessons/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lessons/expression_tree.h"
#include "lessons/gpu_scene.h"

namespace fdlab {
namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source) {}

  NodePtr parse() {
    NodePtr root = sum();
    if (at_ < source_.size()) fail("the end or an operator");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found =
        at_ < source_.size() ? fmt::format("\"{}\"", source_.substr(at_, character_size())) : "the end";
    throw ExpressionError{at_, fmt::format("expected {}, found {}", expected, found)};
  }
  std::size_t character_size() const {
    std::size_t size = 1;
    while (at_ + size < source_.size() && (static_cast<unsigned char>(source_[at_ + size]) & 0xc0) == 0x80)
      ++size;
    return size;
  }
  void skip_blanks() {
    while (at_ < source_.size() && source_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (source_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("\"{}\"", token));
  }

  static NodePtr join(Node::Kind kind, std::size_t position, std::vector<NodePtr> operands) {
    Node node;
    node.kind = kind;
    node.position = position;
    node.operands = std::move(operands);
    return std::make_shared<const Node>(std::move(node));
  }

  NodePtr sum() {
    NodePtr left = product();
    for (;;) {
      const std::size_t position = at_;
      if (accept("+")) left = join(Node::Kind::add, position, {left, product()});
      else if (accept("-") || accept("−")) left = join(Node::Kind::subtract, position, {left, product()});
      else return left;
    }
  }
  NodePtr product() {
    NodePtr left = factor();
    for (;;) {
      const std::size_t position = at_;
      if (accept("*") || accept("×")) left = join(Node::Kind::multiply, position, {left, factor()});
      else if (accept("/") || accept("÷")) left = join(Node::Kind::divide, position, {left, factor()});
      else return left;
    }
  }
  NodePtr factor() {
    if (++depth_ > kMaxDepth) throw ExpressionError{at_, "expected fewer levels of brackets and signs"};
    NodePtr node = unnested_factor();
    --depth_;
    return node;
  }
  NodePtr unnested_factor() {
    skip_blanks();
    const std::size_t position = at_;
    if (accept("-") || accept("−")) return join(Node::Kind::negate, position, {factor()});
    if (accept("(")) {
      NodePtr inner = sum();
      expect(")");
      return inner;
    }
    if (at_ < source_.size() && is_digit(source_[at_])) return number();
    if (at_ < source_.size() && is_name_start(source_[at_])) return named();
    fail("a number, a name or \"(\"");
  }
  NodePtr number() {
    Node node;
    node.position = at_;
    const char* end = source_.data() + source_.size();
    const auto [stop, error] =
        std::from_chars(source_.data() + at_, end, node.number, std::chars_format::fixed);
    if (error != std::errc{}) fail("a number within range");
    at_ = static_cast<std::size_t>(stop - source_.data());
    skip_blanks();
    return std::make_shared<const Node>(std::move(node));
  }
  std::string name() {
    if (at_ >= source_.size() || !is_name_start(source_[at_])) fail("a name");
    const std::size_t begin = at_;
    while (at_ < source_.size() && (is_name_start(source_[at_]) || is_digit(source_[at_]))) ++at_;
    return std::string(source_.substr(begin, at_ - begin));
  }
  Node::Segment segment(std::size_t position, std::string name) {
    Node::Segment segment{std::move(name), position, nullptr};
    if (accept("[")) {
      segment.index = sum();
      expect("]");
    }
    return segment;
  }
  NodePtr named() {
    Node node;
    node.position = at_;
    std::string first = name();
    if (accept("(")) {
      node.kind = Node::Kind::call;
      node.function = std::move(first);
      do node.operands.push_back(sum());
      while (accept(","));
      expect(")");
      return std::make_shared<const Node>(std::move(node));
    }
    node.kind = Node::Kind::path;
    node.path.push_back(segment(node.position, std::move(first)));
    while (accept(".")) {
      const std::size_t position = at_;
      node.path.push_back(segment(position, name()));
    }
    return std::make_shared<const Node>(std::move(node));
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

double number_of(const ExpressionValue& value, std::size_t position) {
  if (!value.number) throw ExpressionError{position, "expected a number, found a thing, a vector or a word"};
  return *value.number;
}

class Evaluator {
 public:
  explicit Evaluator(const ExpressionScope& scope) : scope_(scope) {}

  ExpressionValue evaluate(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::number: return literal(node.number);
      case Node::Kind::path: return path(node);
      case Node::Kind::call: return call(node);
      case Node::Kind::negate: return negated(node);
      default: return arithmetic(node);
    }
  }

 private:
  static ExpressionValue literal(double number) {
    ExpressionValue value;
    value.number = number;
    value.is_count = number == std::floor(number);
    return value;
  }
  ExpressionValue operand(const Node& node, std::size_t i) const {
    ExpressionValue value = evaluate(*node.operands[i]);
    number_of(value, node.operands[i]->position);
    return value;
  }
  ExpressionValue path(const Node& node) const {
    std::vector<PathSegment> path;
    for (const Node::Segment& segment : node.path) {
      PathSegment& worked_out = path.emplace_back(PathSegment{segment.name, segment.position, {}, 0});
      if (segment.index) set_index(worked_out, *segment.index);
    }
    return scope_.gpu ? resolve_gpu_path(path, scope_) : resolve_path(path, scope_);
  }
  void set_index(PathSegment& segment, const Node& index) const {
    const ExpressionValue value = evaluate(index);
    const double number = number_of(value, index.position);
    if (!(number == std::floor(number) && std::fabs(number) < 1e15))
      throw ExpressionError{index.position,
                            fmt::format("expected a whole number as index, found {}", number)};
    segment.index = static_cast<std::int64_t>(number);
    segment.known_at = value.known_at;
  }
  ExpressionValue call(const Node& node) const {
    std::vector<ExpressionValue> arguments;
    for (std::size_t i = 0; i < node.operands.size(); ++i) arguments.push_back(operand(node, i));
    return call_function(node.function, node.position, arguments, scope_);
  }
  ExpressionValue negated(const Node& node) const {
    ExpressionValue value = operand(node, 0);
    value.number = -*value.number;
    value.quantity = Quantity::none;
    return value;
  }
  /// Numbers keep their unit when added; a quantity's colour is lost as soon as it is reckoned with.
  ExpressionValue arithmetic(const Node& node) const {
    const ExpressionValue a = operand(node, 0), b = operand(node, 1);
    ExpressionValue result;
    result.number = apply(node.kind, *a.number, *b.number);
    result.is_count = a.is_count && b.is_count && node.kind != Node::Kind::divide;
    const bool adds = node.kind == Node::Kind::add || node.kind == Node::Kind::subtract;
    if (adds && std::string_view(a.unit) == b.unit) result.unit = a.unit;
    if (a.referent == b.referent) result.referent = a.referent;
    result.known_at = std::max(a.known_at, b.known_at);
    return result;
  }
  static double apply(Node::Kind kind, double a, double b) {
    switch (kind) {
      case Node::Kind::add: return a + b;
      case Node::Kind::subtract: return a - b;
      case Node::Kind::multiply: return a * b;
      default: return a / b;
    }
  }

  const ExpressionScope& scope_;
};

Fault fault_of(std::string_view source, const ExpressionError& error) {
  return Fault{fmt::format("expression \"{}\", character {}: {}", source, error.position + 1, error.message)};
}

}  // namespace

std::int64_t ExpressionScope::last_step() const {
  return gpu ? gpu->clock.last_step : trace->steps().num_steps();
}

Result<Expression> Expression::parse(std::string_view source) {
  try {
    NodePtr root = Parser(source).parse();
    return Expression(std::string(source), std::move(root));
  } catch (const ExpressionError& error) {
    return fault_of(source, error);
  }
}

Result<ExpressionValue> Expression::evaluate(const ExpressionScope& scope) const {
  try {
    return Evaluator(scope).evaluate(*root_);
  } catch (const ExpressionError& error) {
    return fault_of(source_, error);
  }
}

Result<std::int64_t> step_of(const Expression& place, const ExpressionScope& scope) {
  const Result<ExpressionValue> value = place.evaluate(scope);
  if (!value) return value.fault();
  const std::int64_t last = scope.last_step();
  const double number = value->number.value_or(-1);
  if (!(number >= 0 && number <= static_cast<double>(last) && number == std::floor(number)))
    return Fault{fmt::format("place \"{}\": expected a step from 0 to {}, found {}", place.source(), last,
                             value->number ? fmt::format("{}", number) : "no number")};
  return static_cast<std::int64_t>(number);
}

}  // namespace fdlab

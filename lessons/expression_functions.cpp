// The functions an expression may call: of numbers, and the places in a run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/math/merge.h"
#include "lessons/expression_tree.h"
#include "lessons/gpu_scene.h"

namespace fdlab {
namespace {

struct Function {
  std::string_view name;
  std::size_t num_arguments;
  double (*apply)(double, double);
};

constexpr std::array kFunctions{
    Function{"exp", 1, [](double x, double) { return BaseE::exp(x); }},
    Function{"ln", 1, [](double x, double) { return BaseE::log(x); }},
    Function{"sqrt", 1, [](double x, double) { return std::sqrt(x); }},
    Function{"abs", 1, [](double x, double) { return std::fabs(x); }},
    Function{"max", 2, [](double a, double b) { return larger(a, b); }},
    Function{"min", 2, [](double a, double b) { return -larger(-a, -b); }},
};

/// at_us(t): the first step at which t microseconds have passed since the call.
std::optional<std::int64_t> step_of_place(std::string_view name, double argument, const GpuScene& scene) {
  const bool is_there = name == "at_us" && argument >= 0 && argument <= scene.clock.end_us;
  return is_there ? std::optional(scene.clock.step_at(argument)) : std::nullopt;
}

/// at_key(j), end_of_tile(t), at_merge(i): the step of a place in the run, or nothing if the place is none.
std::optional<std::int64_t> step_of_place(std::string_view name, double argument, const Trace& trace) {
  const auto within = [&](std::int64_t size) {
    return argument >= 0 && argument < static_cast<double>(size) && argument == std::floor(argument);
  };
  const auto i = [&] { return static_cast<std::int64_t>(argument); };
  if (name == "at_key" && within(trace.plan().kv_len)) return trace.steps().of_key(i());
  if (name == "end_of_tile" && within(trace.plan().num_tiles())) return trace.steps().of_tile_done(i());
  if (name == "at_merge" && within(trace.tree().num_merges())) return trace.steps().of_merge(i());
  return std::nullopt;
}

bool is_place(std::string_view name) {
  return name == "at_key" || name == "end_of_tile" || name == "at_merge" || name == "at_us";
}

void expect_arguments(std::string_view name, std::size_t position, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw ExpressionError{position, fmt::format("expected {}() with {} argument{}, found {}", name, expected,
                                              expected == 1 ? "" : "s", found)};
}

}  // namespace

ExpressionValue call_function(const std::string& name, std::size_t position,
                              const std::vector<ExpressionValue>& arguments, const ExpressionScope& scope) {
  if (is_place(name)) {
    expect_arguments(name, position, 1, arguments.size());
    const double argument = *arguments[0].number;
    const auto step = scope.gpu ? step_of_place(name, argument, *scope.gpu)
                                : step_of_place(name, argument, *scope.trace);
    if (!step)
      throw ExpressionError{position,
                            fmt::format("expected {}() of something in this run, found {}", name, argument)};
    ExpressionValue value;
    value.number = static_cast<double>(*step);
    value.is_count = true;
    return value;
  }
  for (const Function& function : kFunctions) {
    if (function.name != name) continue;
    expect_arguments(name, position, function.num_arguments, arguments.size());
    ExpressionValue value;
    value.number = function.apply(*arguments[0].number, *arguments.back().number);
    for (const ExpressionValue& argument : arguments)
      value.known_at = std::max(value.known_at, argument.known_at);
    return value;
  }
  throw ExpressionError{
      position,
      fmt::format("expected exp, ln, sqrt, abs, max, min, at_key, end_of_tile, at_merge or at_us, found \"{}\"",
                  name)};
}

}  // namespace fdlab

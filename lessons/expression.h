// Bound numbers: a lesson writes {tile[8].m:3}, never 9.614. An expression is parsed once and evaluated against a trace
// at a step; its value knows what it is (m, l, o, S …), where it stands on the stage, and from which step on a reader
// may know it. The grammar, all names and the printed formats are on one page: lessons/FORMAT.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/io/result.h"
#include "core/trace/trace.h"
#include "lessons/language.h"
#include "lessons/number_text.h"

namespace fdlab {

struct GpuScene;  ///< lessons/gpu_scene.h

/// What an expression is evaluated against: a trace or a GPU, at a step. What it points to must outlive the call only.
struct ExpressionScope {
  ExpressionScope(const Trace& run, std::int64_t at_step, std::span<const std::string> texts,
                  std::int64_t of_layer, std::int64_t dim)
      : trace(&run), step(at_step), tokens(texts), layer(of_layer), head_dim(dim) {}
  ExpressionScope(const GpuScene& scene, std::int64_t at_step) : gpu(&scene), step(at_step) {}

  const Trace* trace = nullptr;  ///< one of the two
  const GpuScene* gpu = nullptr;
  std::int64_t step = 0;                     ///< what `now` means
  std::span<const std::string> tokens = {};  ///< one per key
  std::int64_t layer = 0;
  std::int64_t head_dim = 0;

  std::int64_t last_step() const;
};

/// Which statistic a value is; m, l, o and S own a colour each.
enum class Quantity : std::uint8_t { none, m, l, o, S, score, weight };

/// The thing on the stage that a value belongs to, for links between text and picture.
struct Referent {
  enum class Kind : std::uint8_t {
    none,
    key,
    tile,
    stream,  ///< a stream of several tiles; a stream of one tile is that tile
    node,    ///< of the merge tree, no leaf
    step,    ///< two-step and flat merges: the step's own result
    result,
    reference,
    grid,   ///< one of the two launches on a GPU: 0 is A, 1 is B
    sweep,  ///< B with `index` splits
  };
  Kind kind = Kind::none;
  std::int64_t index = -1;      ///< key, tile, stream, node, grid or split count
  std::int64_t component = -1;  ///< of o
  bool operator==(const Referent&) const = default;
};

struct ExpressionValue {
  std::optional<double> number;  ///< absent for a whole thing (tile[8]), a vector (tile[8].o) and a word
  Bilingual word;                ///< key[260].token, now.a.name; empty otherwise
  bool is_count = false;         ///< a whole number by nature: prints without decimals
  Quantity quantity = Quantity::none;
  const char* unit = "";  ///< "ln", "keys", "floats", "µs", "GB/s", "" for a pure number
  Referent referent;
  std::int64_t known_at = 0;  ///< first step at which a reader may know it
};

class Expression {
 public:
  /// The fault names the expression, the character (from 1), what was expected and what was found.
  static Result<Expression> parse(std::string_view source);

  Result<ExpressionValue> evaluate(const ExpressionScope& scope) const;
  const std::string& source() const { return source_; }

  struct Node;

 private:
  Expression(std::string source, std::shared_ptr<const Node> root)
      : source_(std::move(source)), root_(std::move(root)) {}

  std::string source_;
  std::shared_ptr<const Node> root_;
};

/// What stands between braces: an expression and, after a colon, how it is printed.
class Binding {
 public:
  static Result<Binding> parse(std::string_view source);

  const Expression& expression() const { return expression_; }
  NumberFormat format() const { return format_; }

  struct Bound {
    std::string text;  ///< as a reader sees it; one unbreakable word in a layout
    ExpressionValue value;
  };
  Result<Bound> evaluate(const ExpressionScope& scope, Language language) const;

 private:
  Binding(Expression expression, NumberFormat format) : expression_(std::move(expression)), format_(format) {}

  Expression expression_;
  NumberFormat format_;
};

/// A place in the run, such as `start`, `end_of_tile(8)`, `at_merge(4) - 1`: an expression whose value is a step.
Result<std::int64_t> step_of(const Expression& place, const ExpressionScope& scope);

}  // namespace fdlab

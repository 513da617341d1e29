// The names an expression may use (lessons/FORMAT.md lists them), read off the trace.
#include <fmt/format.h>

#include <algorithm>

#include "lessons/part_names.h"
#include "lessons/path_walk.h"

namespace fdlab {
namespace {

/// One side of a meeting: its partial, how it is treated, and what it is called.
struct Side {
  Partial partial;
  double weight = 0, factor = 0;
  Referent referent;
  Bilingual name;
  std::int64_t known_at = 0;
};

class Resolver : private PathWalk {
 public:
  Resolver(const std::vector<PathSegment>& path, const ExpressionScope& scope)
      : PathWalk(path), scope_(scope), trace_(*scope.trace), steps_(trace_.steps()) {}

  ExpressionValue resolve() { return finished(root(take())); }

 private:
  // Walking the path

  static std::int64_t index(const PathSegment& segment, std::int64_t size) {
    if (!segment.index)
      throw ExpressionError{segment.position, fmt::format("expected an index, as in {}[0]", segment.name)};
    if (*segment.index < 0 || *segment.index >= size) {
      const std::string expected = size == 0
                                       ? fmt::format("no {} at all", segment.name)
                                       : fmt::format("{}[0] to {}[{}]", segment.name, segment.name, size - 1);
      throw ExpressionError{segment.position,
                            fmt::format("expected {}, found {}[{}]", expected, segment.name, *segment.index)};
    }
    return *segment.index;
  }
  ExpressionValue whole(Referent referent, std::int64_t known_at = 0) const {
    ExpressionValue value;
    value.referent = referent;
    value.known_at = known_at;
    return value;
  }
  static ExpressionValue placed(ExpressionValue value, Referent referent, std::int64_t known_at = 0) {
    value.referent = referent;
    value.known_at = known_at;
    return value;
  }

  // Roots

  ExpressionValue root(const PathSegment& segment) {
    const std::string_view name = segment.name;
    if (name == "key") return key(index(segment, trace_.plan().kv_len));
    if (name == "tile") return tile(index(segment, trace_.plan().num_tiles()));
    if (name == "stream") return stream(index(segment, trace_.plan().num_streams));
    if (name == "merge") return merge(index(segment, trace_.tree().num_merges()));
    plain(segment);
    if (name == "now") return now();
    if (name == "row") return row();
    if (name == "result")
      return partial(trace_.result(), {Referent::Kind::result, -1, -1}, steps_.merge_end());
    if (name == "reference") return reference(segment);
    if (name == "check") return check(segment);
    if (const auto value = constant(name)) return *value;
    fail(segment,
         "a name (key, tile, stream, merge, now, row, result, reference, check, a place in the run, or one "
         "of the "
         "scene's numbers)");
  }
  std::optional<ExpressionValue> constant(std::string_view name) const {
    const DecodePlan& plan = trace_.plan();
    if (name == "kv_len") return count_value(plan.kv_len, "keys");
    if (name == "tile_size") return count_value(plan.tile_size, "keys");
    if (name == "num_tiles") return count_value(plan.num_tiles());
    if (name == "num_streams") return count_value(plan.num_streams);
    if (name == "num_merges") return count_value(trace_.tree().num_merges());
    if (name == "num_levels") return count_value(trace_.tree().num_levels());
    if (name == "num_steps") return count_value(steps_.num_steps());
    if (name == "layer") return count_value(scope_.layer);
    if (name == "q_head") return count_value(trace_.row().q_head);
    if (name == "kv_head") return count_value(trace_.kv_head());
    if (name == "head_dim") return count_value(scope_.head_dim);
    if (name == "v_head_dim") return count_value(trace_.v_head_dim());
    if (name == "start") return count_value(0);
    if (name == "end_of_scan") return count_value(steps_.scan_end());
    if (name == "end") return count_value(steps_.of_check());
    return std::nullopt;
  }

  // Keys, and the row as standard attention sees it: no step owns these, a reader may know them from the start.

  ExpressionValue key(std::int64_t j) {
    const Referent self{Referent::Kind::key, j, -1};
    if (at_end()) return whole(self);
    const PathSegment& field = take();
    plain(field);
    if (field.name == "index") return placed(count_value(j), self);
    if (field.name == "tile") return placed(count_value(j / trace_.plan().tile_size), self);
    if (field.name == "score") return placed(measure_value(trace_.score(j), Quantity::score, "ln"), self);
    if (field.name == "weight") return placed(measure_value(trace_.weight(j), Quantity::weight), self);
    if (field.name == "token") return placed(token(field, j), self);
    fail(field, "of a key one of index, tile, score, weight, token");
  }
  ExpressionValue token(const PathSegment& field, std::int64_t j) const {
    if (static_cast<std::size_t>(j) >= scope_.tokens.size()) fail(field, "a scene with tokens");
    const std::string& text = scope_.tokens[static_cast<std::size_t>(j)];
    ExpressionValue value;
    value.word = {token_text(text, Language::en), token_text(text, Language::zh)};
    return value;
  }
  ExpressionValue row() {
    const Referent self{Referent::Kind::result, -1, -1};
    if (at_end()) return whole(self);
    const PathSegment& field = take();
    plain(field);
    if (field.name == "heaviest_key") return count_value(heaviest_key({0, trace_.plan().kv_len}));
    if (field.name == "heaviest_tile") return count_value(heaviest_tile());
    if (field.name == "min_score") return measure_value(trace_.min_score(), Quantity::score, "ln");
    if (field.name == "max_score") return measure_value(trace_.max_score(), Quantity::score, "ln");
    fail(field, "of the row one of heaviest_key, heaviest_tile, min_score, max_score");
  }
  std::int64_t heaviest_key(KeyRange keys) const {
    std::int64_t best = keys.begin;
    for (std::int64_t j = keys.begin; j < keys.end; ++j)
      if (trace_.score(j) > trace_.score(best)) best = j;
    return best;
  }
  std::int64_t heaviest_tile() const {
    std::int64_t best = 0;
    for (std::int64_t t = 1; t < trace_.plan().num_tiles(); ++t)
      if (trace_.tile_share(t) > trace_.tile_share(best)) best = t;
    return best;
  }

  // Partials: known from the step that finishes them.

  ExpressionValue tile(std::int64_t t) {
    const Referent self{Referent::Kind::tile, t, -1};
    const std::int64_t done = steps_.of_tile_done(t);
    if (at_end()) return whole(self);
    const KeyRange keys = trace_.plan().tile(t);
    const std::string_view name = peek().name;
    if (name == "first_key") return lone(placed(count_value(keys.begin), self));
    if (name == "last_key") return lone(placed(count_value(keys.end - 1), self));
    if (name == "keys") return lone(placed(count_value(keys.size(), "keys"), self));
    if (name == "heaviest_key") return lone(placed(count_value(heaviest_key(keys)), self));
    if (name == "share") return lone(placed(measure_value(trace_.tile_share(t), Quantity::weight), self));
    return partial(trace_.tile(t), self, done);
  }
  ExpressionValue lone(ExpressionValue value) {
    plain(take());
    return value;
  }
  ExpressionValue stream(std::int64_t s) {
    const Referent self = leaf_referent(s);
    return partial(trace_.stream(s), self, stream_done(s));
  }
  std::int64_t stream_done(std::int64_t s) const {
    const TileRun run = trace_.plan().stream(s);
    return run.count == 0 ? 0 : steps_.of_tile_in_stream(run.tile(run.count - 1));
  }
  Referent leaf_referent(std::int64_t s) const {
    if (streams_are_tiles(trace_.plan())) return {Referent::Kind::tile, s, -1};
    return {Referent::Kind::stream, s, -1};
  }
  Referent node_referent(std::int64_t node) const {
    return node < trace_.tree().leaves() ? leaf_referent(node) : Referent{Referent::Kind::node, node, -1};
  }

  ExpressionValue partial(const Partial& partial, Referent self, std::int64_t known_at) {
    if (at_end()) return whole(self, known_at);
    const PathSegment& field = take();
    if (field.name == "o") return output(field, partial, self, known_at);
    plain(field);
    if (field.name == "S") return placed(measure_value(partial.S_ln, Quantity::S, "ln"), self, known_at);
    const bool is_m = field.name == "m";
    if (!is_m && field.name != "l")
      fail(field,
           "of a partial result one of m, l, S, o (a tile also has first_key, last_key, keys, share, "
           "heaviest_key; a side of a meeting also weight, factor, moved, name)");
    if (!partial.has_ml) fail(field, "S or o, since this form keeps no m and l");
    return placed(is_m ? measure_value(partial.m, Quantity::m, "ln") : measure_value(partial.l, Quantity::l),
                  self, known_at);
  }
  ExpressionValue output(const PathSegment& field, const Partial& partial, Referent self,
                         std::int64_t known_at) {
    if (!field.index) {
      ExpressionValue vector = whole(self, known_at);
      vector.quantity = Quantity::o;
      return vector;
    }
    const std::int64_t c = index(field, static_cast<std::int64_t>(partial.o.size()));
    self.component = c;
    return placed(measure_value(partial.o[static_cast<std::size_t>(c)], Quantity::o), self, known_at);
  }

  // Meetings: a ⊕ b and its result.

  ExpressionValue merge(std::int64_t i) {
    const std::int64_t step = steps_.of_merge(i);
    return meeting(trace_.detail(step), step);
  }
  ExpressionValue now() {
    const StepDetail detail = trace_.detail(scope_.step);
    if (!at_end() && peek().name == "key") return lone(step_key(detail.step));
    if (!at_end() && peek().name == "tile") return lone(step_tile(detail.step));
    return meeting(detail, scope_.step);
  }
  ExpressionValue step_key(const Step& step) const {
    if (step.key < 0) fail(peek(), "a step in which a key is read");
    return placed(count_value(step.key), {Referent::Kind::key, step.key, -1});
  }
  ExpressionValue step_tile(const Step& step) const {
    if (step.tile < 0) fail(peek(), "a step inside a tile");
    return placed(count_value(step.tile), {Referent::Kind::tile, step.tile, -1});
  }
  ExpressionValue meeting(const StepDetail& detail, std::int64_t known_at) {
    const Referent self = result_referent(detail.step);
    if (at_end()) return whole(self, known_at);
    const std::string_view name = peek().name;
    if (name == "a" || name == "b" || name == "high" || name == "low") {
      plain(take());
      return side(side_of(detail, name), known_at);
    }
    return partial(detail.result, self, known_at);
  }
  Referent result_referent(const Step& step) const {
    switch (step.kind) {
      case StepKind::key:
      case StepKind::tile_done: return {Referent::Kind::tile, step.tile, -1};
      case StepKind::fold: return leaf_referent(step.stream);
      case StepKind::merge: return node_referent(trace_.tree().leaves() + step.merge);
      default: return {Referent::Kind::step, -1, -1};
    }
  }

  Side side_of(const StepDetail& detail, std::string_view name) const {
    if (name == "a" || name == "b") return side_of(detail, name == "b");
    const bool b_is_high =
        detail.b.has_ml && detail.a.has_ml ? detail.b.m > detail.a.m : detail.b.S_ln > detail.a.S_ln;
    return side_of(detail, (name == "high") == b_is_high);
  }
  Side side_of(const StepDetail& detail, bool is_b) const {
    Side side;
    side.partial = is_b ? detail.b : detail.a;
    side.weight = is_b ? detail.weight_b : detail.weight_a;
    side.factor = is_b ? detail.factor_b : detail.factor_a;
    side.known_at = detail.step.number;
    if (detail.step.kind == StepKind::merge) {
      const auto [a, b] = trace_.tree().children(detail.step.merge);
      const std::int64_t node = is_b ? b : a;
      side.referent = node_referent(node);
      side.name = node_name(trace_, node);
      side.known_at =
          node < trace_.tree().leaves() ? stream_done(node) : steps_.of_merge(node - trace_.tree().leaves());
      return side;
    }
    side.referent = is_b && detail.step.kind == StepKind::key
                        ? Referent{Referent::Kind::key, detail.step.key, -1}
                        : result_referent(detail.step);
    return side;
  }
  /// met_at: the step of the meeting, from which on weight and factor are known.
  ExpressionValue side(const Side& side, std::int64_t met_at) {
    if (at_end()) return whole(side.referent, side.known_at);
    const std::string_view name = peek().name;
    if (name == "weight")
      return lone(placed(measure_value(side.weight, Quantity::weight), side.referent, met_at));
    if (name == "factor") return lone(placed(measure_value(side.factor), side.referent, met_at));
    if (name == "moved") return lone(moved(side, met_at));
    if (name == "name") return lone(side_name(side));
    return partial(side.partial, side.referent, side.known_at);
  }
  ExpressionValue moved(const Side& side, std::int64_t met_at) const {
    if (!side.partial.has_ml) fail(peek(), "S or o, since this form keeps no m and l");
    return placed(measure_value(side.factor * side.partial.l, Quantity::l), side.referent, met_at);
  }
  ExpressionValue side_name(const Side& side) const {
    if (side.name.en.empty()) fail(peek(), "a merge of the tree, whose sides have names");
    ExpressionValue value = whole(side.referent);
    value.word = side.name;
    return value;
  }

  // What the check step compares with

  ExpressionValue reference(const PathSegment& segment) {
    if (!trace_.reference()) fail(segment, "a scene with a reference");
    const Reference& reference = *trace_.reference();
    const Referent self{Referent::Kind::reference, -1, -1};
    if (at_end()) return whole(self, steps_.of_check());
    const PathSegment& field = take();
    if (field.name == "o") return reference_output(field, reference, self);
    plain(field);
    if (field.name != "S") fail(field, "of the reference one of S, o");
    return placed(measure_value(reference.lse_ln, Quantity::S, "ln"), self, steps_.of_check());
  }
  ExpressionValue reference_output(const PathSegment& field, const Reference& reference,
                                   Referent self) const {
    self.component = index(field, static_cast<std::int64_t>(reference.o.size()));
    const double o = reference.o[static_cast<std::size_t>(self.component)];
    return placed(measure_value(o, Quantity::o), self, steps_.of_check());
  }
  ExpressionValue check(const PathSegment& segment) {
    const std::optional<CheckSummary> summary = trace_.check();
    if (!summary) fail(segment, "a scene with a reference");
    const Referent self{Referent::Kind::reference, -1, -1};
    if (at_end()) return whole(self, steps_.of_check());
    const PathSegment& field = take();
    plain(field);
    const std::int64_t known_at = steps_.of_check();
    if (field.name == "max_error") return placed(measure_value(summary->max_abs_error), self, known_at);
    if (field.name == "S_error") return placed(measure_value(summary->lse_abs_error), self, known_at);
    if (field.name == "worst") return placed(count_value(summary->worst), self, known_at);
    fail(field, "of the check one of max_error, S_error, worst");
  }

  const ExpressionScope& scope_;
  const Trace& trace_;
  const StepIndex& steps_;
};

}  // namespace

ExpressionValue resolve_path(const std::vector<PathSegment>& path, const ExpressionScope& scope) {
  return Resolver(path, scope).resolve();
}

}  // namespace fdlab

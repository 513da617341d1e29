#include "lessons/transcript.h"

#include <fmt/format.h>

#include <cmath>

#include "lessons/gpu_transcript.h"
#include "lessons/number_text.h"
#include "lessons/part_names.h"

namespace fdlab {
namespace {

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string statistic(float number) { return fixed_text(static_cast<double>(number), 3); }
std::string factor(float number) { return fixed_text(static_cast<double>(number), 4); }

bool is_nan(const Partial& partial) { return std::isnan(partial.S_ln); }

class Teller {
 public:
  Teller(const ExpressionScope& scope, Language language)
      : scope_(scope), trace_(*scope.trace), language_(language), detail_(trace_.detail(scope.step)) {}

  std::string tell() const {
    switch (detail_.step.kind) {
      case StepKind::start: return start();
      case StepKind::key: return key();
      case StepKind::tile_done: return tile_done();
      case StepKind::fold: return fold();
      case StepKind::merge: return merge();
      case StepKind::log_sum: return log_sum();
      case StepKind::weigh: return weigh();
      case StepKind::flat: return flat();
      case StepKind::check: break;
    }
    return check();
  }

 private:
  /// The sentence of the present language, its {0}, {1} … filled in.
  template <class... Values>
  std::string say(const char* en, const char* zh, const Values&... values) const {
    return fmt::vformat(language_ == Language::en ? en : zh, fmt::make_format_args(values...));
  }
  std::string percent(float share) const { return percent_text(static_cast<double>(share), 0, language_); }
  std::string tile_name(std::int64_t t) const { return fmt::format("tile {}", t); }
  std::string stream_name(std::int64_t begin, std::int64_t end) const {
    return streams_name(trace_.plan(), begin, end)[language_];
  }
  /// The subject of a sentence: "Key 260 "ily" " and, with Chinese quotes that bring their own space, "key 260“ily”".
  std::string key_name() const {
    const auto j = static_cast<std::size_t>(detail_.step.key);
    if (j >= scope_.tokens.size()) return say("Key {0} ", "key {0} ", j);
    return say("Key {0} {1} ", "key {0}{1}", j, token_text(scope_.tokens[j], language_));
  }

  std::string start() const {
    const DecodePlan& plan = trace_.plan();
    return say("Nothing has been read yet: {0} keys in {1} tiles wait for one query.",
               "还没有读任何 key：{0} 个 key 分成 {1} 个 tile，等着同一个 query。", count_text(plan.kv_len),
               count_text(plan.num_tiles()));
  }

  // Inside a tile

  std::string key() const {
    const Step& step = detail_.step;
    const std::string name = key_name();
    const std::string tile = goes_key_by_key(trace_.method()) ? stream_name(step.stream, step.stream + 1)
                                                              : tile_name(step.tile);
    const std::string score = statistic(trace_.score(detail_.step.key));
    if (std::isnan(trace_.score(detail_.step.key)))
      return say("{0}scores NaN, so {1} is NaN from here on.", "{0}的分数是 NaN，{1} 从此都是 NaN。", name,
                 tile);
    if (detail_.b.empty)
      return say("{0}is masked: its score is −∞, so {1} stays as it is.",
                 "{0}被 mask：分数是 −∞，{1} 保持不变。", name, tile);
    if (is_nan(detail_.result))
      return say("{0}scores {2}, but {1} is NaN already.", "{0}的分数是 {2}，但 {1} 已经是 NaN。", name, tile,
                 score);
    if (detail_.a.empty)
      return say("{0}opens {1}. Its score {2} is the maximum so far, and the sum starts at 1.",
                 "{0}是 {1} 的第一个 key：分数 {2} 就是当前最大值，指数和从 1 开始。", name, tile, score);
    return detail_.b.m > detail_.a.m ? higher_key(name, tile, score) : lower_key(name, tile, score);
  }
  std::string higher_key(const std::string& name, const std::string& tile, const std::string& score) const {
    return say(
        "{0}scores {2}, above the maximum {3} of {1} so far, so the old sum is multiplied by {4}; l is "
        "now {5}.",
        "{0}的分数 {2} 超过 {1} 的当前最大值 {3}，已有的和要乘以 {4} 重缩放；l 变为 {5}。", name, tile, score,
        statistic(detail_.a.m), factor(detail_.factor_a), statistic(detail_.result.l));
  }
  std::string lower_key(const std::string& name, const std::string& tile, const std::string& score) const {
    return say(
        "{0}scores {2}, not above the maximum {3} of {1}, so nothing is rescaled; it adds {4} to l, now "
        "{5}.",
        "{0}的分数 {2} 没有超过 {1} 的当前最大值 {3}，不用重缩放；它给 l 加上 {4}，l 变为 {5}。", name, tile,
        score, statistic(detail_.a.m), factor(detail_.factor_b), statistic(detail_.result.l));
  }
  std::string tile_done() const {
    const std::string tile = tile_name(detail_.step.tile);
    const std::string keys = count_text(trace_.plan().tile(detail_.step.tile).size());
    const Partial& done = detail_.result;
    if (done.empty)
      return say("{0} is done and empty: all its keys are masked, and nothing of it will be read.",
                 "{0} 算完了，结果为空：它的 key 全被 mask，之后不会再读它。", capitalised_in_english(tile));
    if (!done.has_ml)
      return say("{0} is done. Its {1} keys are now one S = {2} and one o.",
                 "{0} 算完：{1} 个 key 只留下 S = {2} 和 o。", capitalised_in_english(tile), keys,
                 statistic(done.S_ln));
    return say("{0} is done. Its {1} keys are now m = {2}, l = {3} and one o; S = m + ln l = {4}.",
               "{0} 算完：{1} 个 key 只留下 m = {2}、l = {3} 和 o；S = m + ln l = {4}。",
               capitalised_in_english(tile), keys, statistic(done.m), statistic(done.l),
               statistic(done.S_ln));
  }

  // a ⊕ b

  std::string fold() const {
    const std::string stream = stream_name(detail_.step.stream, detail_.step.stream + 1);
    const std::string tile = tile_name(detail_.step.tile);
    return say("{1} joins {0}. ", "{1} 并入 {0}：", stream, capitalised_in_english(tile)) +
           meeting(stream, tile);
  }
  std::string merge() const {
    const auto [node_a, node_b] = trace_.tree().children(detail_.step.merge);
    const std::string a = node_name(trace_, node_a)[language_], b = node_name(trace_, node_b)[language_];
    return say("{0} {2} {1}. ", "{0} 与 {1} 合并：", capitalised_in_english(a), b, verb(a, "meets", "meet")) +
           meeting(a, b);
  }
  std::string meeting(const std::string& a, const std::string& b) const {
    if (is_nan(detail_.result)) return not_a_number(a, b);
    if (detail_.a.empty && detail_.b.empty)
      return say("Both are empty, and so is the result.", "两边都为空，结果也为空。");
    if (detail_.a.empty || detail_.b.empty) return one_empty(a, b);
    if (!detail_.a.has_ml || !detail_.b.has_ml) return log_sums_meet(a);
    if (detail_.a.m == detail_.b.m) return equal_maxima(a);
    return detail_.b.m > detail_.a.m ? maximum_rises(a) : maximum_stays(b);
  }
  std::string not_a_number(const std::string& a, const std::string& b) const {
    const bool from_a = is_nan(detail_.a), from_b = is_nan(detail_.b);
    if (from_a == from_b) return say("The result is NaN.", "结果是 NaN。");
    const std::string& source = from_a ? a : b;
    return say("{0} {1} NaN, so the result is NaN.", "{0} 带来了 NaN，结果也是 NaN。",
               capitalised_in_english(source), verb(source, "brings", "bring"));
  }
  std::string one_empty(const std::string& a, const std::string& b) const {
    const std::string& empty = detail_.a.empty ? a : b;
    const std::string& other = detail_.a.empty ? b : a;
    return say("{0} {2} empty and not read; {1} {3} through bit by bit.",
               "{0} 为空，不会被读；{1} 逐位原样通过。", capitalised_in_english(empty), other,
               verb(empty, "is", "are"), verb(other, "passes", "pass"));
  }
  std::string log_sums_meet(const std::string& a) const {
    return say("S of {1} and {2} become {3}; {0} {5} {4} of the pair.",
               "S 由 {1} 和 {2} 合成 {3}；{0} 占这一对的 {4}。", a, statistic(detail_.a.S_ln),
               statistic(detail_.b.S_ln), statistic(detail_.result.S_ln), percent(detail_.weight_a),
               verb(a, "carries", "carry"));
  }
  std::string equal_maxima(const std::string& a) const {
    return say("Both maxima are {1}, so neither side is rescaled; {0} {3} {2} of the pair.",
               "两边的最大值都是 {1}，都不用重缩放；{0} 占这一对的 {2}。", a, statistic(detail_.a.m),
               percent(detail_.weight_a), verb(a, "carries", "carry"));
  }
  std::string maximum_rises(const std::string& a) const {
    const bool is_still_heavier = detail_.weight_a > detail_.weight_b;
    return say("The maximum rises from {1} to {2}, so {0} {5} rescaled by {3}{6} {7} {4} of the pair.",
               is_still_heavier ? "最大值从 {1} 升到 {2}，{0} 要乘以 {3} 重缩放，但仍占这一对的 {4}。"
                                : "最大值从 {1} 升到 {2}，{0} 要乘以 {3} 重缩放，占这一对的 {4}。",
               a, statistic(detail_.a.m), statistic(detail_.b.m), factor(detail_.factor_a),
               percent(detail_.weight_a), verb(a, "is", "are"), is_still_heavier ? ", yet still" : " and",
               verb(a, "carries", "carry"));
  }
  std::string maximum_stays(const std::string& b) const {
    return say("The maximum stays {1}, so only {0} {4} rescaled, by {2}, and {5} {3} of the pair.",
               "最大值保持 {1}，只有 {0} 要乘以 {2} 重缩放，它占这一对的 {3}。", b, statistic(detail_.a.m),
               factor(detail_.factor_b), percent(detail_.weight_b), verb(b, "is", "are"),
               verb(b, "carries", "carry"));
  }
  /// The English verb for "tile 8" or "tiles 8–9".
  static const char* verb(const std::string& subject, const char* singular, const char* plural) {
    return subject.starts_with("tiles ") || subject.starts_with("streams ") ? plural : singular;
  }
  std::string capitalised_in_english(const std::string& name) const {
    return language_ == Language::en ? capitalised(name) : name;
  }

  // Many at once

  std::string log_sum() const {
    const std::string name = stream_name(detail_.step.stream, detail_.step.stream + 1);
    return say("First S alone: {0} brings {1}, and S so far becomes {2}. No output is touched yet.",
               "先只合并 S：{0} 带来 {1}，目前的 S 变为 {2}。输出还没有动。", name, statistic(detail_.b.S_ln),
               statistic(detail_.result.S_ln));
  }
  std::string weigh() const {
    const std::string name =
        capitalised_in_english(stream_name(detail_.step.stream, detail_.step.stream + 1));
    if (detail_.b.empty)
      return say("{0} is empty: its weight is 0 and its output is not read.",
                 "{0} 为空：权重是 0，它的输出不会被读。", name);
    return say("{0} holds {1} of the row by its S = {2}; its o is added with that weight.",
               "{0} 的 S = {2}，占整行的 {1}；它的 o 按这个权重加进来。", name, percent(detail_.weight_b),
               statistic(detail_.b.S_ln));
  }
  std::string flat() const {
    const std::string streams = stream_name(0, trace_.plan().num_streams);
    if (detail_.result.empty)
      return say("Every part is empty, and so is the row.", "每一部分都为空，整行也为空。");
    return say("{0} become one at once: each output is weighed by its share of the row, and S is {1}.",
               "{0} 一次合并：每份输出按它占整行的份额加权，S 为 {1}。", capitalised_in_english(streams),
               statistic(detail_.result.S_ln));
  }
  std::string check() const {
    const std::optional<CheckSummary> summary = trace_.check();
    if (!summary)
      return say("The row is finished: S is {0}.", "整行算完：S 为 {0}。", statistic(detail_.result.S_ln));
    if (std::isnan(summary->max_abs_error))
      return say("The result is NaN where standard attention in float64 has a number.",
                 "float64 标准 attention 得到的是数，这里却是 NaN。");
    return say(
        "The result meets standard attention in float64: the largest difference in o is {0}, in S {1}.",
        "结果与 float64 标准 attention 核对：o 的最大差是 {0}，S 的差是 {1}。",
        scientific_text(summary->max_abs_error, 1), scientific_text(summary->lse_abs_error, 1));
  }

  const ExpressionScope& scope_;
  const Trace& trace_;
  const Language language_;
  const StepDetail detail_;
};

}  // namespace

std::string transcript(const ExpressionScope& scope, Language language) {
  return scope.gpu ? gpu_transcript(*scope.gpu, scope.step, language) : Teller(scope, language).tell();
}

}  // namespace fdlab

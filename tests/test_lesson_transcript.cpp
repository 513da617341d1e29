#include "lessons/transcript.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "lessons/check_rules.h"
#include "lessons/part_names.h"
#include "tests/first_lesson.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

std::string at(std::int64_t step, Language language) {
  return transcript(first_scene().scope(step), language);
}

Trace run(const ScoreProblem& problem, std::int64_t tile_size, std::int64_t streams, MergeOrder merge,
          Method method) {
  DecodePlan plan{problem.problem.kv_len, tile_size, streams, Deal::round_robin, merge};
  REQUIRE_FALSE(find_fault(plan));
  return record(problem.problem, plan, method, {});
}

std::string tell(const Trace& trace, std::int64_t step, Language language) {
  return transcript({trace, step, {}, 0, ScoreProblem::kDim}, language);
}

}  // namespace

TEST_CASE("the transcript says what happened, why, and the number that matters") {
  CHECK(at(362, Language::en) ==
        "Tile 8 meets tile 9. The maximum rises from 9.614 to 9.905, so tile 8 is rescaled by 0.7475, yet "
        "still carries "
        "56 % of the pair.");
  CHECK(
      at(362, Language::zh) ==
      "tile 8 与 tile 9 合并：最大值从 9.614 升到 9.905，tile 8 要乘以 0.7475 重缩放，但仍占这一对的 56%。");
  CHECK(at(364, Language::en) ==
        "Tiles 4–5 meet tiles 6–7. The maximum rises from 9.086 to 9.748, so tiles 4–5 are rescaled by "
        "0.5158 and carry "
        "48 % of the pair.");
  CHECK(at(0, Language::zh) == "还没有读任何 key：346 个 key 分成 11 个 tile，等着同一个 query。");
  CHECK(at(269, Language::zh) ==
        "key 260“ily”的分数 9.614 超过 tile 8 的当前最大值 6.989，已有的和要乘以 0.0725 重缩放；l 变为 "
        "1.135。");
  CHECK(at(297, Language::en) ==
        "Tile 8 is done. Its 32 keys are now m = 9.614, l = 1.792 and one o; S = m + ln l = 10.197.");
}

TEST_CASE("every kind of step has a sentence in both languages, well set") {
  const ScoreProblem problem({1, 3, 2, 5, 0, 4, 2, 2, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::set<StepKind> kinds;
  Findings findings;
  for (const Method method :
       {Method::standard, Method::online, Method::mlo, Method::mlo_unnormalised, Method::lse})
    for (const MergeOrder merge :
         {MergeOrder::sequential, MergeOrder::tree, MergeOrder::two_step, MergeOrder::flat})
      for (const std::int64_t streams : {1, 3, 7}) {
        const Trace trace = run(problem, 2, streams, merge, method);
        for (std::int64_t step = 0; step <= trace.steps().num_steps(); ++step) {
          kinds.insert(trace.steps().at(step).kind);
          for (const Language language : kLanguages) {
            const std::string sentence = tell(trace, step, language);
            CAPTURE(sentence);
            CHECK(sentence.size() > 20);
            CHECK(sentence.ends_with(language == Language::en ? "." : "。"));
            check_typography(sentence, language, name_of(language), findings);
            check_glossary(sentence, language, name_of(language), findings);
          }
        }
      }
  CHECK(kinds.size() == 9);
  for (const Finding& finding : findings.take()) FAIL_CHECK(finding.sentence);
}

TEST_CASE("all steps of the lesson are well set") {
  Findings findings;
  for (std::int64_t step = 0; step <= 368; ++step) {
    const std::string sentence = at(step, Language::zh);
    CHECK(sentence.ends_with("。"));
    check_typography(sentence, Language::zh, std::to_string(step), findings);
  }
  for (const Finding& finding : findings.take()) FAIL_CHECK(finding.sentence);
}

TEST_CASE("empty parts are said to be empty") {
  const ScoreProblem problem({-INFINITY, -INFINITY, 1, 2, -INFINITY, -INFINITY}, {1, 2, 3, 4, 5, 6});
  const Trace tree = run(problem, 2, 3, MergeOrder::tree, Method::mlo);
  CHECK(tell(tree, tree.steps().of_key(0), Language::en) ==
        "Key 0 is masked: its score is −∞, so tile 0 stays as it is.");
  CHECK(tell(tree, tree.steps().of_tile_done(0), Language::zh) ==
        "tile 0 算完了，结果为空：它的 key 全被 mask，之后不会再读它。");
  CHECK(tell(tree, tree.steps().of_merge(0), Language::en) ==
        "Tile 0 meets tile 1. Tile 0 is empty and not read; tile 1 passes through bit by bit.");
  CHECK(tell(tree, tree.steps().of_merge(1), Language::zh) ==
        "tile 0–1 与 tile 2 合并：tile 2 为空，不会被读；tile 0–1 逐位原样通过。");

  const ScoreProblem nothing({-INFINITY, -INFINITY}, {1, 2});
  const Trace both = run(nothing, 1, 2, MergeOrder::tree, Method::mlo);
  CHECK(tell(both, both.steps().of_merge(0), Language::en) ==
        "Tile 0 meets tile 1. Both are empty, and so is the result.");
  const Trace flat = run(nothing, 1, 2, MergeOrder::flat, Method::mlo);
  CHECK(tell(flat, flat.steps().merge_end(), Language::en) == "Every part is empty, and so is the row.");
  const Trace two = run(problem, 2, 3, MergeOrder::two_step, Method::lse);
  CHECK(tell(two, two.steps().merge_end(), Language::zh) == "tile 2 为空：权重是 0，它的输出不会被读。");
}

TEST_CASE("NaN is followed to where it came from") {
  const ScoreProblem problem({1, 2, NAN, 3}, {1, 2, 3, 4});
  const Trace trace = run(problem, 2, 2, MergeOrder::tree, Method::mlo);
  CHECK(tell(trace, trace.steps().of_key(2), Language::en) ==
        "Key 2 scores NaN, so tile 1 is NaN from here on.");
  CHECK(tell(trace, trace.steps().of_key(3), Language::zh) == "key 3 的分数是 3.000，但 tile 1 已经是 NaN。");
  CHECK(tell(trace, trace.steps().of_merge(0), Language::en) ==
        "Tile 0 meets tile 1. Tile 1 brings NaN, so the result is NaN.");
}

TEST_CASE("equal maxima and a falling second one") {
  const ScoreProblem equal({2, 2}, {1, 3});
  const Trace same = run(equal, 1, 2, MergeOrder::tree, Method::mlo);
  CHECK(tell(same, same.steps().of_merge(0), Language::en) ==
        "Tile 0 meets tile 1. Both maxima are 2.000, so neither side is rescaled; tile 0 carries 50 % of the "
        "pair.");
  const ScoreProblem falling({2, 1}, {1, 3});
  const Trace lower = run(falling, 1, 2, MergeOrder::tree, Method::mlo);
  CHECK(tell(lower, lower.steps().of_merge(0), Language::en) ==
        "Tile 0 meets tile 1. The maximum stays 2.000, so only tile 1 is rescaled, by 0.3679, and carries 27 "
        "% of the "
        "pair.");
}

TEST_CASE("streams of several tiles are called streams") {
  const ScoreProblem problem({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6});
  const Trace trace = run(problem, 1, 2, MergeOrder::tree, Method::mlo);
  CHECK(tell(trace, trace.steps().of_tile_in_stream(2), Language::en).starts_with("Tile 2 joins stream 0. "));
  CHECK(tell(trace, trace.steps().of_merge(0), Language::zh).starts_with("tile 流 0 与 tile 流 1 合并："));
}

TEST_CASE("tokens are shown so that they can be seen") {
  CHECK(token_text(" Lily", Language::en) == "\"Lily\"");
  CHECK(token_text("ily", Language::zh) == "“ily”");
  CHECK(token_text("\n", Language::en) == "\"↵\"");
  CHECK(token_text(" ", Language::zh) == "“␣”");
  CHECK(token_text("\"", Language::en) == "'\"'");
}

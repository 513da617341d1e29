// What the engine must be able to say: every binding, term, highlight and gate, for every query head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/check_rules.h"
#include "lessons/formula.h"
#include "lessons/gate.h"
#include "lessons/prose.h"

namespace fdlab {
namespace {

/// A value a reader may not know yet at this step.
void check_time(const ExpressionValue& value, std::int64_t step, const std::string& source,
                const std::string& where, Findings& findings) {
  if (value.known_at > step)
    findings.add(
        "future", where,
        fmt::format("{{{}}} is known from step {} on, but is used at step {}", source, value.known_at, step));
}

/// The step where a text is read, or nothing after adding the fault.
std::optional<std::int64_t> step_in(const Expression& place, const Stop& stop, const LessonScene& scene,
                                    const std::string& where, Findings& findings) {
  const Result<std::int64_t> step = step_of(place, scene.scope(stop, 0));
  if (step) return *step;
  findings.add("step", where, step.fault().sentence);
  return std::nullopt;
}

/// Up to which step a text may look. The picture of a GPU shows the whole run, unless it waits for a prediction.
std::int64_t last_seen(const Stop& stop, const ExpressionScope& scope) {
  return scope.gpu && !stop.gate ? scope.last_step() : scope.step;
}

void check_binding(const std::string& source, const LessonWords& words, const ExpressionScope& scope,
                   Findings& findings) {
  const Result<Binding> binding = Binding::parse(source);
  if (!binding) return findings.add("binding", words.where, binding.fault().sentence);
  const auto bound = binding->evaluate(scope, words.language);
  if (!bound) return findings.add("binding", words.where, bound.fault().sentence);
  check_time(bound->value, last_seen(*words.stop, scope), source, words.where, findings);
}

void check_bindings(const LessonWords& words, const LessonScene& scene, Findings& findings) {
  if (!words.stop) return;
  const Expression& place = words.is_at_reveal ? words.stop->gate->reveal : words.stop->step;
  const auto step = step_in(place, *words.stop, scene, words.where, findings);
  if (!step) return;
  for (const ProseBlock& block : parse_prose(words.markdown).blocks)
    for (const ProseRun& run : block.runs)
      if (run.kind == ProseRun::Kind::number)
        check_binding(run.text, words, scene.scope(*words.stop, *step), findings);
}

std::vector<std::string> terms_of(const Stop& stop) {
  std::vector<std::string> terms;
  for (const FormulaSource& formula : formulas_in(stop.prose.en))
    for (const std::string& term : terms_in(formula.tex)) terms.push_back(term);
  return terms;
}

void check_terms(const Stop& stop, const ExpressionScope& scope, Findings& findings) {
  const std::vector<std::string> terms = terms_of(stop);
  for (const TermBinding& term : stop.terms) {
    if (std::find(terms.begin(), terms.end(), term.id) == terms.end())
      findings.add("term", stop.id,
                   fmt::format("the term \"{}\" is in none of the stop's formulas", term.id));
    const Result<ExpressionValue> value = term.expression.evaluate(scope);
    if (!value) findings.add("term", stop.id, value.fault().sentence);
    else check_time(*value, last_seen(stop, scope), term.expression.source(), stop.id, findings);
  }
}

void check_highlights(const Stop& stop, const ExpressionScope& scope, Findings& findings) {
  for (const Expression& highlight : stop.highlight) {
    const Result<ExpressionValue> value = highlight.evaluate(scope);
    if (!value) findings.add("highlight", stop.id, value.fault().sentence);
    else if (value->referent.kind == Referent::Kind::none)
      findings.add("highlight", stop.id, fmt::format("\"{}\" is nothing on the stage", highlight.source()));
  }
}

/// Every wrong rule must be told from the right answer and from the other rules.
void check_rules_apart(const Stop& stop, const GateAnswers& answers, Findings& findings) {
  const Gate& gate = *stop.gate;
  if (judge(gate, answers, *answers.right.value.number).kind != GateVerdict::Kind::right)
    findings.add("gate", stop.id, "the right answer is not recognised");
  for (std::size_t i = 0; i < gate.rules.size(); ++i) {
    const GateVerdict verdict = judge(gate, answers, *answers.rules[i].value.number);
    if (verdict.kind == GateVerdict::Kind::right)
      findings.add("gate", stop.id,
                   fmt::format("rule \"{}\" gives {}, within {} of the right answer {}", gate.rules[i].id,
                               answers.rules[i].text, gate.tolerance, answers.right.text));
    else if (verdict.kind != GateVerdict::Kind::known_rule || verdict.rule != i)
      findings.add("gate", stop.id,
                   fmt::format("rule \"{}\" is not told from another rule", gate.rules[i].id));
  }
}

/// " for head 3" where there are heads to choose from.
std::string head_of(const LessonScene& scene) {
  return scene.traced() ? fmt::format(" for head {}", scene.traced()->spec.q_head) : "";
}

void check_gate(const Stop& stop, const LessonScene& scene, bool is_default_head, Findings& findings) {
  const Gate& gate = *stop.gate;
  const auto step = step_in(stop.step, stop, scene, stop.id, findings);
  const auto reveal = step_in(gate.reveal, stop, scene, stop.id, findings);
  if (!step || !reveal) return;
  if (*reveal <= *step)
    findings.add("gate", stop.id,
                 fmt::format("the answer is revealed at step {}, but the stop stands at {}", *reveal, *step));
  const Result<GateAnswers> answers = answers_of(gate, scene.scope(stop, 0), Language::en);
  if (!answers) return findings.add("gate", stop.id, answers.fault().sentence);
  const auto is_in_range = [&](const Binding::Bound& answer) {
    const double number = answer.value.number.value_or(NAN);
    return number >= gate.low && number <= gate.high;
  };
  bool all_in_range = is_in_range(answers->right);
  for (const Binding::Bound& answer : answers->rules)
    all_in_range = all_in_range && (is_in_range(answer) || !is_default_head);
  if (!all_in_range)
    return findings.add(
        "gate", stop.id,
        fmt::format("an answer{} lies outside the range {} to {}", head_of(scene), gate.low, gate.high));
  if (is_default_head) check_rules_apart(stop, *answers, findings);
}

}  // namespace

void check_numbers(const Lesson& lesson, const LessonScene& scene, Findings& findings) {
  for (const LessonWords& words : words_of(lesson)) check_bindings(words, scene, findings);
  for (const Stop& stop : lesson.stops) {
    const auto step = step_in(stop.step, stop, scene, stop.id, findings);
    if (!step) continue;
    check_terms(stop, scene.scope(stop, *step), findings);
    check_highlights(stop, scene.scope(stop, *step), findings);
  }
}

void check_gates(const Lesson& lesson, const LessonScene& scene, bool is_default_head, Findings& findings) {
  for (const Stop& stop : lesson.stops)
    if (stop.gate) check_gate(stop, scene, is_default_head, findings);
}

}  // namespace fdlab

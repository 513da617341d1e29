#include "lessons/gate.h"

#include <cmath>

namespace fdlab {

Result<GateAnswers> answers_of(const Gate& gate, ExpressionScope scope, Language language) {
  const Result<std::int64_t> reveal = step_of(gate.reveal, scope);
  if (!reveal) return reveal.fault();
  scope.step = *reveal;
  Result<Binding::Bound> right = gate.answer.evaluate(scope, language);
  if (!right) return right.fault();
  GateAnswers answers{std::move(*right), {}};
  for (const WrongRule& rule : gate.rules) {
    Result<Binding::Bound> answer = rule.answer.evaluate(scope, language);
    if (!answer) return answer.fault();
    answers.rules.push_back(std::move(*answer));
  }
  return answers;
}

GateVerdict judge(const Gate& gate, const GateAnswers& answers, double predicted) {
  const auto distance = [&](const Binding::Bound& answer) {
    return std::fabs(predicted - answer.value.number.value_or(NAN));
  };
  if (distance(answers.right) <= gate.tolerance) return {GateVerdict::Kind::right, 0};
  GateVerdict verdict;
  double nearest = gate.tolerance;
  for (std::size_t i = 0; i < answers.rules.size(); ++i) {
    if (!(distance(answers.rules[i]) <= nearest)) continue;
    nearest = distance(answers.rules[i]);
    verdict = {GateVerdict::Kind::known_rule, i};
  }
  return verdict;
}

const std::string& name_of(const Gate& gate, GateVerdict verdict, Language language) {
  static const std::string none;
  switch (verdict.kind) {
    case GateVerdict::Kind::right: return gate.right_name[language];
    case GateVerdict::Kind::known_rule: return gate.rules[verdict.rule].name[language];
    case GateVerdict::Kind::other: break;
  }
  return none;
}

const std::string& reply_to(const Gate& gate, GateVerdict verdict, Language language) {
  switch (verdict.kind) {
    case GateVerdict::Kind::right: return gate.right[language];
    case GateVerdict::Kind::known_rule: return gate.rules[verdict.rule].reply[language];
    case GateVerdict::Kind::other: break;
  }
  return gate.other[language];
}

}  // namespace fdlab

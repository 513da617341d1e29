// Predict first: what a reader's number says about the rule behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/lesson.h"

namespace fdlab {

struct GateVerdict {
  enum class Kind : std::uint8_t { right, known_rule, other };
  Kind kind = Kind::other;
  std::size_t rule = 0;  ///< known_rule: index into gate.rules
};

/// The answers of a gate for one head: the right one and what each wrong rule yields.
struct GateAnswers {
  Binding::Bound right;
  std::vector<Binding::Bound> rules;
};

/// scope.step is replaced by the gate's reveal step.
Result<GateAnswers> answers_of(const Gate& gate, ExpressionScope scope, Language language);

/// Right within the tolerance; else the nearest rule within it; else other.
GateVerdict judge(const Gate& gate, const GateAnswers& answers, double predicted);

/// The rule that was followed, in words; empty if it is none of the known ones.
const std::string& name_of(const Gate& gate, GateVerdict verdict, Language language);
/// The Markdown to answer with.
const std::string& reply_to(const Gate& gate, GateVerdict verdict, Language language);

}  // namespace fdlab

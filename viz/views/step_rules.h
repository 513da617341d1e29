// The rule of a step in three tiers: symbols, the numbers in their place, the result.
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "viz/theme.h"

namespace fdlab {

struct StepRule {
  const char* tex = "";
  std::string numbers;  ///< "= max(9.614, 9.905)"; empty: the table below has them
  std::string result;   ///< "9.905"; empty: a vector
  Role role = Role::text;
  const char* id = "";  ///< of the result: "m", "l", "w-a"
};

/// The rules of a step, in the order in which they are applied. Every number is the trace's.
std::vector<StepRule> rules_of(const Trace& trace, const StepDetail& detail);

/// Every formula that rules_of and the row names may use.
std::vector<std::string> window_formulas();

}  // namespace fdlab

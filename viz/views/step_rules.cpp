#include "viz/views/step_rules.h"

#include <fmt/format.h>

#include "lessons/number_text.h"

namespace fdlab {
namespace {

// Statistics as (m, l)
constexpr const char* kMax = R"(\m{} = \max(\m{a}, \m{b}))";
constexpr const char* kSum = R"(\l{} = e^{\m{a}-\m{}}\,\l{a} + e^{\m{b}-\m{}}\,\l{b})";
constexpr const char* kWeight = R"(\w{a} = e^{\m{a}-\m{}}\,\l{a} / \l{})";
constexpr const char* kOutput = R"(\o{} = \w{a}\,\o{a} + \w{b}\,\o{b})";
constexpr const char* kUnnormalised = R"(O = e^{\m{a}-\m{}}\,O_a + e^{\m{b}-\m{}}\,O_b)";
constexpr const char* kDivide = R"(\o{} = O / \l{})";
// As S
constexpr const char* kToLogSum = R"(\S{} = \m{} + \ln \l{})";
constexpr const char* kLogSum = R"(\S{} = \ln(e^{\S{a}} + e^{\S{b}}))";
constexpr const char* kLogWeight = R"(\w{a} = 1 / (1 + e^{\S{b}-\S{a}}))";
// All streams at once
constexpr const char* kMaxOfAll = R"(\m{} = \max_i \m{i})";
constexpr const char* kSumOfAll = R"(\l{} = \textstyle\sum_i e^{\m{i}-\m{}}\,\l{i})";
constexpr const char* kLogSumOfAll = R"(\S{} = \ln \textstyle\sum_i e^{\S{i}})";
constexpr const char* kOutputOfAll = R"(\o{} = \textstyle\sum_i \w{i}\,\o{i})";
constexpr const char* kShare = R"(\w{b} = e^{\m{b}-\m{}}\,\l{b} / \l{})";
constexpr const char* kLogShare = R"(\w{b} = e^{\S{b}-\S{}})";
constexpr const char* kAddShare = R"(\o{} = \o{a} + \w{b}\,\o{b})";
constexpr const char* kEmptyMax = R"(\m{} = -\infty)";
constexpr const char* kEmptySum = R"(\l{} = 0)";

std::string value(double x) { return fixed_text(x, 3); }
std::string factor(double x) { return x == 1 || x == 0 ? fixed_text(x, 0) : fixed_text(x, 4); }

std::vector<StepRule> join_sums(const Trace& trace, const StepDetail& d) {
  std::vector<StepRule> rules{
      {kMax, fmt::format("= max({}, {})", value(d.a.m), value(d.b.m)), value(d.result.m), Role::m, "m"},
      {kSum,
       fmt::format("= {} × {} + {} × {}", factor(d.factor_a), value(d.a.l), factor(d.factor_b), value(d.b.l)),
       value(d.result.l), Role::l, "l"}};
  if (trace.method() == Method::mlo_unnormalised) {
    rules.push_back({kUnnormalised, "", "", Role::text, "O"});
    rules.push_back({kDivide, "", "", Role::o, "o"});
    return rules;
  }
  rules.push_back({kWeight,
                   fmt::format("= {} × {} / {}", factor(d.factor_a), value(d.a.l), value(d.result.l)),
                   factor(d.weight_a), Role::text, "w-a"});
  rules.push_back({kOutput, "", "", Role::o, "o"});
  return rules;
}

StepRule join_log_sums(const StepDetail& d) {
  return {kLogSum, fmt::format("= ln(exp {} + exp {})", value(d.a.S_ln), value(d.b.S_ln)),
          value(d.result.S_ln), Role::S, "S"};
}

std::vector<StepRule> join(const Trace& trace, const StepDetail& d) {
  if (d.result.has_ml) return join_sums(trace, d);
  return {join_log_sums(d),
          {kLogWeight, fmt::format("= 1 / (1 + exp({} − {}))", value(d.b.S_ln), value(d.a.S_ln)),
           factor(d.weight_a), Role::text, "w-a"},
          {kOutput, "", "", Role::o, "o"}};
}

std::vector<StepRule> weigh(const StepDetail& d) {
  const std::string result = factor(d.weight_b);
  if (d.b.has_ml)
    return {{kShare, fmt::format("= {} × {} / {}", factor(d.factor_b), value(d.b.l), value(d.result.l)),
             result, Role::text, "w-b"},
            {kAddShare, "", "", Role::o, "o"}};
  return {{kLogShare, fmt::format("= exp({} − {})", value(d.b.S_ln), value(d.result.S_ln)), result,
           Role::text, "w-b"},
          {kAddShare, "", "", Role::o, "o"}};
}

std::vector<StepRule> all_at_once(const StepDetail& d) {
  if (d.result.has_ml)
    return {{kMaxOfAll, "", value(d.result.m), Role::m, "m"},
            {kSumOfAll, "", value(d.result.l), Role::l, "l"},
            {kOutputOfAll, "", "", Role::o, "o"}};
  return {{kLogSumOfAll, "", value(d.result.S_ln), Role::S, "S"}, {kOutputOfAll, "", "", Role::o, "o"}};
}

}  // namespace

std::vector<StepRule> rules_of(const Trace& trace, const StepDetail& d) {
  switch (d.step.kind) {
    case StepKind::start: return {{kEmptyMax, "", "", Role::m, "m"}, {kEmptySum, "", "", Role::l, "l"}};
    case StepKind::key:
    case StepKind::fold:
    case StepKind::merge: return join(trace, d);
    case StepKind::tile_done:
      return {{kToLogSum, fmt::format("= {} + ln {}", value(d.a.m), value(d.a.l)), value(d.result.S_ln),
               Role::S, "S"}};
    case StepKind::log_sum: return {join_log_sums(d)};
    case StepKind::weigh: return weigh(d);
    case StepKind::flat: return all_at_once(d);
    case StepKind::check: return {};
  }
  return {};
}

std::vector<std::string> window_formulas() {
  return {kMax,       kSum,      kWeight,   kOutput,      kUnnormalised, kDivide,  kToLogSum, kLogSum,
          kLogWeight, kMaxOfAll, kSumOfAll, kLogSumOfAll, kOutputOfAll,  kShare,   kLogShare, kAddShare,
          kEmptyMax,  kEmptySum, R"(\m{})", R"(\l{})",    R"(\S{})",     R"(\o{})"};
}

}  // namespace fdlab

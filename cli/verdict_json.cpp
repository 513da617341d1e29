#include "cli/verdict_json.h"

#include <cmath>

namespace fdlab::cli {

Json json_of(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json json_of(const Verdict& verdict) {
  constexpr const char* kOutcomes[] = {"passed", "failed", "nothing compared"};
  return {{"outcome", kOutcomes[static_cast<int>(verdict.outcome)]},
          {"compared", verdict.difference.compared},
          {"incomparable", verdict.difference.incomparable},
          {"nan", verdict.difference.nan_found},
          {"max_abs", verdict.difference.max_abs},
          {"max_ulp", verdict.difference.max_ulp},
          {"mean_signed", verdict.difference.mean_signed},
          {"index", verdict.index},
          {"found", json_of(verdict.found)},
          {"expected", json_of(verdict.expected)},
          {"limit", json_of(verdict.limit)}};
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fdlab::cli

#include "cli/compare_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/verdict_json.h"

namespace fdlab::cli {
namespace {

std::string place_text(const ComparedPart& part) {
  return text_of(place_of(part.shape, part.verdict.index, part.what == "o"));
}

std::string verdict_text(const ComparedPart& part) {
  const Verdict& v = part.verdict;
  const Difference& d = v.difference;
  if (v.outcome == Outcome::nothing_compared) return "0 elements: nothing to compare, which is no pass";
  if (v.outcome == Outcome::passed && d.max_abs == 0) return "equal: no difference";
  if (v.outcome == Outcome::passed)
    return fmt::format(
        "equal: largest difference {:.2e} ({:.1f} ulp), mean {:+.1e}; nearest to its limit of {:.1e} at {}",
        d.max_abs, d.max_ulp, d.mean_signed, v.limit, place_text(part));
  return fmt::format(
      "DIFFERS, worst at {}: found {:.9g}, expected {:.9g}, allowed {:.2e}; {} of {} not comparable, {} NaN",
      place_text(part), v.found, v.expected, v.limit, d.incomparable, d.compared, d.nan_found);
}

std::string rule_text(const CompareReport& r) {
  return r.by_oracle ? "each against the float64 oracle, by what rounding allows"
                     : "a tolerance for the number type; with --q --k --v: what rounding allows";
}

std::string tolerance_text(const ComparedPart& part) {
  if (!part.tolerance) return "";
  return fmt::format("      |found - expected| <= {:.1e} + {:.1e} |expected|\n", part.tolerance->absolute,
                     part.tolerance->relative);
}

Json json_of_place(const ComparedPart& part) {
  const Place place =
      part.verdict.index < 0 ? Place{} : place_of(part.shape, part.verdict.index, part.what == "o");
  const auto axis = [](const std::optional<std::int64_t>& i) { return i ? Json(*i) : Json(nullptr); };
  return {{"sequence", axis(place.sequence)},
          {"q_head", axis(place.q_head)},
          {"row", axis(place.row)},
          {"component", axis(place.component)}};
}

Json json_of_part(const ComparedPart& part) {
  Json json = {{"what", part.what},
               {"found_file", part.found},
               {"expected_file", part.expected},
               {"shape", part.shape},
               {"dtype", name_of(part.type)}};
  json.update(json_of(part.verdict));
  json["place"] = json_of_place(part);
  json["readings"] = part.readings;
  return json;
}

}  // namespace

bool CompareReport::equal() const {
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const auto& p) { return p.agrees(); });
}

std::string compare_text(const CompareReport& r) {
  std::string text = fmt::format("rule  {}\n", rule_text(r));
  for (const ComparedPart& part : r.parts) {
    text +=
        fmt::format("\n{:<4}  {} against {}, {} {}\n{}      {}\n", part.what, part.found, part.expected,
                    fdlab::text_of(part.shape), name_of(part.type), tolerance_text(part), verdict_text(part));
    for (const std::string& reading : part.readings)
      text += fmt::format("      agrees if this is declared: {}\n", reading);
  }
  for (const std::string& note : r.notes) text += fmt::format("\nnote  {}\n", note);
  return text;
}

std::string compare_json(const CompareReport& r) {
  Json parts = Json::array();
  for (const ComparedPart& part : r.parts) parts.push_back(json_of_part(part));
  return text_of(Json{{"format", "fdlab-compare"},
                      {"version", 1},
                      {"rule", r.by_oracle ? "oracle" : "tolerance"},
                      {"rtol", r.by_oracle ? Json(nullptr) : Json(r.tolerance.relative)},
                      {"atol", r.by_oracle ? Json(nullptr) : Json(r.tolerance.absolute)},
                      {"equal_nan", r.tolerance.equal_nan},
                      {"equal", r.equal()},
                      {"parts", parts},
                      {"notes", r.notes}});
}

}  // namespace fdlab::cli

// Lesson 1 against numbers worked out outside the engine (tests/data/lessons/one_real_decode.py).
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "lessons/prose.h"
#include "tests/first_lesson.h"
#include "tests/run_program.h"

using namespace fdlab;

namespace {

const nlohmann::json& outside() {
  static const nlohmann::json numbers =
      nlohmann::json::parse(text_of_file(FDLAB_TEST_DATA "/lessons/one_real_decode.json"));
  return numbers;
}

/// Every number of the text, in order, as a reader sees it.
std::vector<std::string> numbers_in(const std::string& markdown, std::int64_t step) {
  std::vector<std::string> numbers;
  for (const ProseBlock& block : parse_prose(markdown).blocks)
    for (const ProseRun& run : block.runs)
      if (run.kind == ProseRun::Kind::number)
        numbers.push_back(Binding::parse(run.text)->evaluate(first_scene().scope(step), Language::en)->text);
  return numbers;
}

std::int64_t step_of(const Expression& place) { return *fdlab::step_of(place, first_scene().scope(0)); }

}  // namespace

TEST_CASE("expressions name the rows they say") {
  REQUIRE(outside()["values"].size() >= 80);
  for (const nlohmann::json& row : outside()["values"]) {
    CAPTURE(row.dump());
    const auto expression = Expression::parse(row[2].get<std::string>());
    REQUIRE(bool(expression));
    const auto value = expression->evaluate(first_scene(row[0]).scope(row[1]));
    REQUIRE(bool(value));
    REQUIRE(value->number);
    CHECK(*value->number == doctest::Approx(row[3].get<double>()).epsilon(2e-6).scale(1));
    CHECK(value->known_at <= row[1].get<std::int64_t>());
  }
}

TEST_CASE("every number of the lesson's text is the right one") {
  std::size_t checked = 0;
  for (const Stop& stop : first_lesson().stops) {
    CAPTURE(stop.id);
    const std::vector<std::string> shown = numbers_in(stop.prose.en, step_of(stop.step));
    if (!outside()["stops"].contains(stop.id)) {
      CHECK(stop.id == "agreement");  // its numbers are the engine's own rounding errors, bounded below
      continue;
    }
    CHECK(shown == outside()["stops"][stop.id].get<std::vector<std::string>>());
    checked += shown.size();
    if (!stop.gate) continue;
    CHECK(numbers_in(stop.gate->right.en, step_of(stop.gate->reveal)) ==
          outside()["replies"][stop.id].get<std::vector<std::string>>());
  }
  CHECK(checked >= 50);
}

TEST_CASE("the check step finds rounding, and no more") {
  for (std::int64_t head = 0; head < 8; ++head) {
    const auto summary = first_scene(head).trace.check();
    REQUIRE(summary);
    CHECK(summary->max_abs_error > 0);
    CHECK(summary->max_abs_error < 2e-6);
    CHECK(summary->lse_abs_error < 4e-6);
  }
}

#include "core/compare/lse_reading.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/compare/tolerance.h"

using namespace fdlab;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

std::optional<LseReading> reading_of(const Values& found, const Values& expected) {
  return find_reading(found, expected, [&](std::span<const double> read) {
    return judge_within(read, expected, DType::f32, default_tolerance(DType::f32, DType::f32)).outcome ==
           Outcome::passed;
  });
}

}  // namespace

TEST_CASE("C08: a base of 2 is recognised on either side") {
  const Values natural{8.030084, 4.158883, -kInf}, base_2{11.584963, 6.0, -kInf};
  const auto found_2 = reading_of(base_2, natural), expected_2 = reading_of(natural, base_2);
  REQUIRE(found_2);
  CHECK(found_2->factor == doctest::Approx(std::log(2.0)));
  CHECK(text_of(*found_2) == std::vector<std::string>{"found is in base 2, expected is natural"});
  REQUIRE(expected_2);
  CHECK(expected_2->factor == doctest::Approx(1 / std::log(2.0)));
}

TEST_CASE("C03: +inf for a row without keys is a marker; +inf for any other row is an overflow") {
  const auto marker = reading_of({kInf, 0.5, kInf}, {-kInf, 0.5, -kInf});
  REQUIRE(marker);
  CHECK(marker->num_empty == 2);
  CHECK(text_of(*marker)[0].find("on 2 rows") != std::string::npos);
  CHECK_FALSE(reading_of({kInf, kInf}, {-kInf, 0.5}));
  CHECK_FALSE(reading_of({-kInf, 0.5}, {kInf, 0.5}));
}

TEST_CASE("both conventions at once are both named; what is simply wrong has no reading") {
  const auto both = reading_of({kInf, 3}, {-kInf, 3 * std::log(2.0)});
  REQUIRE(both);
  CHECK(text_of(*both).size() == 2);
  CHECK_FALSE(reading_of({3, 4}, {3, 4 * std::log(2.0)}));
  CHECK_FALSE(reading_of({kNaN}, {1}));
}

#include "lessons/number_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace fdlab;

TEST_CASE("numbers are printed in the house's style") {
  CHECK(count_text(17048) == "17,048");
  CHECK(count_text(-1000000) == "−1,000,000");
  CHECK(count_text(999) == "999");
  CHECK(count_text(std::numeric_limits<std::int64_t>::min()) == "−9,223,372,036,854,775,808");
  CHECK(fixed_text(9.6138, 3) == "9.614");
  CHECK(fixed_text(-1234.5, 2) == "−1,234.50");
  CHECK(fixed_text(-0.0001, 3) == "0.000");
  CHECK(fixed_text(-INFINITY, 3) == "−∞");
  CHECK(fixed_text(INFINITY, 3) == "∞");
  CHECK(fixed_text(NAN, 3) == "NaN");
  CHECK(short_text(0.5) == "0.5");
  CHECK(short_text(-10) == "−10");
  CHECK(short_text(-std::numeric_limits<double>::infinity()) == "−∞");
  CHECK(scientific_text(1.5e-6, 1) == "1.5e−6");
  CHECK(scientific_text(-2e12, 0) == "−2e12");
  CHECK(scientific_text(0, 1) == "0");
  CHECK(percent_text(0.5601, 0, Language::en) == "56 %");
  CHECK(percent_text(0.5601, 1, Language::zh) == "56.0%");
}

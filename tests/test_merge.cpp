#include <doctest/doctest.h>

#include "core/math/merge.h"

using namespace fdlab;

TEST_CASE("two splits of six keys merge to the whole row") {
  // scores (1, 3, 2 | 5, 0, 4): log-sums worked out by hand in float64
  const auto merged = Lse<double>::merge({3.40760596444438}, {5.318175429247454});
  CHECK(merged.stats.S == doctest::Approx(5.456193316018123).epsilon(1e-12));
  CHECK(merged.weight_a == doctest::Approx(0.12891688925738296).epsilon(1e-12));
}

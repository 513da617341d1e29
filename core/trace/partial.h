// A partial result as people see it: the statistics of its form, S beside them, and o whatever the payload
// was.
#pragma once

#include <cstdint>
#include <vector>

#include "core/math/merge.h"

namespace fdlab {

struct Partial {
  bool empty = true;
  bool has_ml = true;  ///< false once only (S, o) is kept: m and l are then not defined
  float m = kMinusInfinity;
  float l = 0;
  float S_ln = kMinusInfinity;  ///< natural log
  std::vector<float> o;         ///< normalised output; zeros when empty
  std::vector<float> O;         ///< the unnormalised payload l·o where the method keeps it, else not filled
};

}  // namespace fdlab

// The base in which scores, maxima and log-sums are counted. GPUs prefer base 2: exp2 is one instruction, and the
// factor log2 e is folded into the softmax scale. A value's base is part of its type, or of its name.
#pragma once

#include "core/math/number.h"

namespace fdlab {

inline constexpr double kLog2E = 1.4426950408889634074;  ///< natural scores × this = base-2 scores
inline constexpr double kLn2 = 0.69314718055994530942;   ///< base-2 log-sums × this = natural ones

struct BaseE {
  template <class T>
  FD_HD static T exp(T x) {
    using std::exp;
    return exp(x);
  }
  template <class T>
  FD_HD static T log(T x) {
    using std::log;
    return log(x);
  }
  template <class T>
  FD_HD static T log1p(T x) {
    using std::log1p;
    return log1p(x);
  }
  static constexpr double kPerNatural = 1.0;  ///< a natural log times this is a log in this base
  static constexpr const char* kName = "e";
};

struct Base2 {
  template <class T>
  FD_HD static T exp(T x) {
    using std::exp2;
    return exp2(x);
  }
  template <class T>
  FD_HD static T log(T x) {
    using std::log2;
    return log2(x);
  }
  template <class T>
  FD_HD static T log1p(T x) {
    using std::log1p;
    return log1p(x) * T(kLog2E);
  }
  static constexpr double kPerNatural = kLog2E;
  static constexpr const char* kName = "2";
};

}  // namespace fdlab

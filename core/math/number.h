// The few leaf operations the merge operator needs from a number type. Scalars are served here; a SIMD backend
// supplies larger, select and exp for its own vector type (found by argument-dependent lookup), and nothing else.
#pragma once

#include <cmath>
#include <limits>

#include "core/math/host_device.h"

namespace fdlab {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// a where the mask holds, else b. Neither side's NaN reaches the other.
template <class T>
FD_HD T select(bool mask, T a, T b) {
  return mask ? a : b;
}

/// The larger of two numbers; NaN if either is NaN, in both argument orders. std::max, fmaxf and the device's max
/// differ on NaN, so none of them is used.
template <class T>
FD_HD T larger(T a, T b) {
  return select(a > b, a, select(a == a, b, a));
}

/// a·b + c, rounded once on every backend.
FD_HD inline float fused_multiply_add(float a, float b, float c) { return ::fmaf(a, b, c); }
FD_HD inline double fused_multiply_add(double a, double b, double c) { return ::fma(a, b, c); }

/// A set of keys that has no member yet has maximum −∞ (and log-sum −∞).
template <class T>
FD_HD auto is_minus_infinity(T x) {
  return x == T(kMinusInfinity);
}

}  // namespace fdlab

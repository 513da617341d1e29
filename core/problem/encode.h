// Rounding to the narrow number formats, to nearest even, once. The inverse of decode.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/problem/dtype.h"

namespace fdlab {

/// Shape of a binary floating-point format: significant bits behind the leading one, and the smallest
/// exponent of a normal number.
struct FloatFormat {
  int fraction_bits, min_exponent;
};

constexpr FloatFormat format_of(DType type) {
  switch (type) {
    case DType::f64: return {52, -1022};
    case DType::f32: return {23, -126};
    case DType::f16: return {10, -14};
    case DType::bf16: return {7, -126};
    case DType::e4m3: return {3, -6};
  }
  return {};
}

/// Distance from |x| to the next larger number of the type: the unit in the last place.
inline double ulp_of(DType type, double x) {
  const FloatFormat format = format_of(type);
  const int exponent = x == 0 ? format.min_exponent : std::max(std::ilogb(x), format.min_exponent);
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

/// Bit pattern of a finite magnitude ≥ 0 in a format of at most 16 bits, before any overflow is looked at. A
/// carry out of the fraction moves into the exponent by itself.
inline std::uint32_t narrow_magnitude(DType type, float magnitude) {
  const FloatFormat format = format_of(type);
  const int exponent =
      magnitude == 0 ? format.min_exponent : std::max(std::ilogb(magnitude), format.min_exponent);
  const auto steps =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent)));
  return (static_cast<std::uint32_t>(exponent - format.min_exponent) << format.fraction_bits) + steps;
}

/// Bit pattern of x where everything above largest_finite becomes `overflow`.
inline std::uint32_t narrow(DType type, float x, std::uint32_t largest_finite, std::uint32_t overflow,
                            std::uint32_t nan) {
  if (std::isnan(x)) return nan;
  const std::uint32_t magnitude = std::isinf(x) ? overflow : narrow_magnitude(type, std::fabs(x));
  const std::uint32_t sign = std::signbit(x) ? 1u << (8 * size_in_bytes(type) - 1) : 0u;
  return sign | (magnitude > largest_finite ? overflow : magnitude);
}

inline std::uint16_t f16_from_float(float x) {
  return static_cast<std::uint16_t>(narrow(DType::f16, x, 0x7bff, 0x7c00, 0x7e00));
}
inline std::uint16_t bf16_from_float(float x) {
  return static_cast<std::uint16_t>(narrow(DType::bf16, x, 0x7f7f, 0x7f80, 0x7fc0));
}
/// There is no infinity in e4m3: what is beyond 448 becomes NaN.
inline std::uint8_t e4m3_from_float(float x) {
  return static_cast<std::uint8_t>(narrow(DType::e4m3, x, 0x7e, 0x7f, 0x7f));
}

}  // namespace fdlab

// Conversions from the narrow number formats to float, exact in every case, infinities and NaN included.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/problem/dtype.h"

namespace fdlab {

inline float float_from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline float float_from_f16(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return fraction ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction | 0x400), exponent - 25);
}

/// OCP e4m3: bias 7, no infinity, S.1111.111 is NaN, largest finite 448.
inline float float_from_e4m3(std::uint8_t bits) {
  const float sign = (bits & 0x80u) ? -1.0f : 1.0f;
  const int exponent = (bits >> 3) & 0xf;
  const int fraction = bits & 0x7;
  if (exponent == 0xf && fraction == 0x7) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -9);
  return sign * std::ldexp(static_cast<float>(fraction | 0x8), exponent - 10);
}

/// Element `index` of an array of the given type, as double (exact).
inline double load_element(const void* data, DType type, std::int64_t index) {
  const auto at = [&](auto value) {
    std::memcpy(&value, static_cast<const std::byte*>(data) + index * static_cast<std::int64_t>(sizeof value),
                sizeof value);
    return value;
  };
  switch (type) {
    case DType::f32: return at(float{});
    case DType::f64: return at(double{});
    case DType::f16: return float_from_f16(at(std::uint16_t{}));
    case DType::bf16: return float_from_bf16(at(std::uint16_t{}));
    case DType::e4m3: return float_from_e4m3(at(std::uint8_t{}));
  }
  return 0;
}

}  // namespace fdlab

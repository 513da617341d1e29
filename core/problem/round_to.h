// A number as it comes back after being stored in a narrower type.
#pragma once

#include "core/problem/decode.h"
#include "core/problem/encode.h"

namespace fdlab {

inline double round_to(DType type, double x) {
  const auto narrow = static_cast<float>(x);
  switch (type) {
    case DType::f64: return x;
    case DType::f32: return narrow;
    case DType::f16: return float_from_f16(f16_from_float(narrow));
    case DType::bf16: return float_from_bf16(bf16_from_float(narrow));
    case DType::e4m3: return float_from_e4m3(e4m3_from_float(narrow));
  }
  return x;
}

}  // namespace fdlab

// Number formats that tensors may be stored in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fdlab {

enum class DType : std::uint8_t { f32, f64, f16, bf16, e4m3 };

constexpr std::size_t size_in_bytes(DType t) {
  switch (t) {
    case DType::f64: return 8;
    case DType::f32: return 4;
    case DType::f16:
    case DType::bf16: return 2;
    case DType::e4m3: return 1;
  }
  return 0;
}

constexpr const char* name_of(DType t) {
  switch (t) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::e4m3: return "e4m3";
  }
  return "?";
}

}  // namespace fdlab

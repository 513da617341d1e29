#include "core/io/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "core/problem/encode.h"

namespace fdlab {
namespace {

template <class Stored, class Round>
void round_all(std::span<const float> values, std::byte* out, Round round) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Stored stored = round(values[i]);
    std::memcpy(out + i * sizeof stored, &stored, sizeof stored);
  }
}

}  // namespace

std::optional<std::int64_t> size_in_bytes(const std::vector<std::int64_t>& shape, DType type) {
  std::int64_t bytes = static_cast<std::int64_t>(size_in_bytes(type));
  bool empty = false;
  for (const std::int64_t extent : shape) {
    empty = empty || extent == 0;
    if (extent < 0 || (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes))) return std::nullopt;
  }
  return empty ? 0 : bytes;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Tensor make_tensor(std::string name, std::vector<std::int64_t> shape, DType type,
                   std::span<const float> values) {
  const auto bytes = std::shared_ptr<std::byte[]>(new std::byte[values.size() * size_in_bytes(type)]);
  switch (type) {
    case DType::f64: round_all<double>(values, bytes.get(), [](float x) { return x; }); break;
    case DType::f32: round_all<float>(values, bytes.get(), [](float x) { return x; }); break;
    case DType::f16: round_all<std::uint16_t>(values, bytes.get(), f16_from_float); break;
    case DType::bf16: round_all<std::uint16_t>(values, bytes.get(), bf16_from_float); break;
    case DType::e4m3: round_all<std::uint8_t>(values, bytes.get(), e4m3_from_float); break;
  }
  return {std::move(name), std::move(shape), type, {bytes, bytes.get()}, ""};
}

}  // namespace fdlab

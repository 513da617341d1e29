// A tensor read from a file or made in memory: shape, number type and bytes in C order. Copies share the bytes,
// which never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/problem/decode.h"

namespace fdlab {

struct Tensor {
  std::string name;                 ///< what sentences call it: the file's path
  std::vector<std::int64_t> shape;  ///< empty: one scalar
  DType type = DType::f32;
  std::shared_ptr<const std::byte> data;  ///< mapped or owned; aligned for the type
  std::string note;                       ///< one sentence if the file left something open, else empty

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t num_elements() const {
    std::int64_t n = 1;
    for (const std::int64_t extent : shape) n *= extent;
    return n;
  }
  double element(std::int64_t index) const { return load_element(data.get(), type, index); }
};

/// Bytes of a tensor of this shape; nothing if any product of its extents leaves 63 bits, even beside a zero.
std::optional<std::int64_t> size_in_bytes(const std::vector<std::int64_t>& shape, DType type);

/// The shape as people write it: "(4, 346, 8)", "(3,)", "()".
std::string text_of(const std::vector<std::int64_t>& shape);

/// Rounds values, given in C order, to the type.
Tensor make_tensor(std::string name, std::vector<std::int64_t> shape, DType type,
                   std::span<const float> values);

}  // namespace fdlab

// Floats that begin on a cache line, so that no vector of them lies on two.
#pragma once

#include <cstdint>
#include <vector>

namespace fdlab {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  /// `count` zeros.
  explicit AlignedFloats(std::int64_t count)
      : lines_(static_cast<std::size_t>((count + kPerLine - 1) / kPerLine)) {}

  float* data() { return reinterpret_cast<float*>(lines_.data()); }
  const float* data() const { return reinterpret_cast<const float*>(lines_.data()); }

 private:
  static constexpr std::int64_t kPerLine = 16;
  struct alignas(64) Line {
    float floats[kPerLine];
  };
  std::vector<Line> lines_;
};

}  // namespace fdlab

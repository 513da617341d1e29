// Rows of (m, l, payload), one per stored partial.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/math/partial.h"

namespace fdlab {

class PartialTable {
 public:
  PartialTable() = default;
  PartialTable(std::int64_t rows, std::int64_t dim)
      : width_(dim + 2), data_(static_cast<std::size_t>(rows * (dim + 2)), 0.0f) {}

  std::int64_t bytes() const { return static_cast<std::int64_t>(data_.size() * sizeof(float)); }

  void put(std::int64_t row, MaxSum<float> stats, std::span<const float> payload) {
    float* at = data_.data() + row * width_;
    at[0] = stats.m;
    at[1] = stats.l;
    std::copy(payload.begin(), payload.end(), at + 2);
  }
  MaxSum<float> stats(std::int64_t row) const {
    const float* at = data_.data() + row * width_;
    return {at[0], at[1]};
  }
  std::span<const float> payload(std::int64_t row) const {
    return {data_.data() + row * width_ + 2, static_cast<std::size_t>(width_ - 2)};
  }

 private:
  std::int64_t width_ = 2;
  std::vector<float> data_;
};

/// A stored partial in the form it was stored from.
template <class Form>
PartialOf<Form> stored(const PartialTable& table, std::int64_t row) {
  const auto payload = table.payload(row);
  PartialOf<Form> partial{Form::empty(), {payload.begin(), payload.end()}};
  if constexpr (std::is_same_v<typename Form::Stats, LogSum<float>>) partial.stats = {table.stats(row).m};
  else partial.stats = table.stats(row);
  return partial;
}

}  // namespace fdlab

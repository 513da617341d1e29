// Small .npy files for tests of the programs.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/io/npy.h"

namespace fdlab {

inline std::vector<double> read_values(const std::string& path) {
  const auto tensor = read_npy(path);
  REQUIRE_MESSAGE(tensor, (tensor ? "" : tensor.fault().sentence));
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor->num_elements(); ++i) values.push_back(tensor->element(i));
  return values;
}

inline void write_values(const std::string& path, std::vector<std::int64_t> shape,
                         const std::vector<float>& values, DType type = DType::f32) {
  auto staged = stage_npy(path, make_tensor("", std::move(shape), type, values));
  REQUIRE(staged);
  REQUIRE_FALSE(staged->commit());
}

}  // namespace fdlab

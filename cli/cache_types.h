// The number types of a KV cache, by name on the command line.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/problem/dtype.h"

namespace fdlab::cli {

inline constexpr DType kCacheTypes[] = {DType::f32, DType::f16, DType::bf16, DType::e4m3};

inline std::vector<std::string> names_of_cache_types() {
  std::vector<std::string> names;
  for (const DType type : kCacheTypes) names.push_back(name_of(type));
  return names;
}

/// `name` must be one of them.
inline DType cache_type_named(const std::string& name) {
  return *std::find_if(std::begin(kCacheTypes), std::end(kCacheTypes),
                       [&](DType type) { return name == name_of(type); });
}

}  // namespace fdlab::cli

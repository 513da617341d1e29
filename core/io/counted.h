// A number with its noun: "1 tile", "2 tiles".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace fdlab {

inline std::string counted(std::int64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

}  // namespace fdlab

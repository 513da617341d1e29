// A picture in memory and as a PNG file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

/// RGBA, rows from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

/// Writes a PNG whole or not at all.
std::optional<Fault> write_png(const std::string& path, const Picture& picture);

}  // namespace fdlab

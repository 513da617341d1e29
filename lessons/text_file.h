#pragma once

#include <filesystem>
#include <string>

#include "core/io/result.h"

namespace fdlab {

/// The whole file; the fault says what stood in the way.
Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace fdlab

// TOML read as JSON, so that StrictObject reads both. TOML itself refuses a key given twice.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/io/result.h"

namespace fdlab {

/// Dates and times are refused: no file of ours has any that is not a text.
Result<nlohmann::json> parse_toml(std::string_view text, const std::string& name);

}  // namespace fdlab

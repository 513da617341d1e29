// Numbers and verdicts as JSON, the same in everything the terminal prints (core/io/FORMATS.md).
#pragma once

#include <nlohmann/json.hpp>

#include "core/compare/verdict.h"

namespace fdlab::cli {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are written as the strings "nan", "inf" and "-inf".
Json json_of(double x);

Json json_of(const Verdict& verdict);

/// The text, with what is not UTF-8 replaced.
std::string text_of(const Json& json);

}  // namespace fdlab::cli

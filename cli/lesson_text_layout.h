// Text set in the columns of a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fdlab::cli {

/// Columns to write in: those of the terminal, else COLUMNS, else 80; never above 100, never below 20.
std::int64_t text_columns();

/// Breaks at blanks and between hanzi, keeps closing punctuation off the start of a line and opening punctuation off its
/// end. Every line begins with `indent`; none ends with a blank. A word longer than a line stands alone.
std::string wrapped(std::string_view text, std::int64_t columns, std::string_view indent = "");

}  // namespace fdlab::cli

// Checks of what stands on the command line. Each refuses in one sentence: what was expected, what was found.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace fdlab::cli {

/// One of a list of names.
CLI::Validator one_of(std::vector<std::string> names);

/// A whole number from least to most.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);
CLI::Validator whole_number_or_auto(std::int64_t least, std::int64_t most);

/// A number that is neither infinite nor NaN.
CLI::Validator finite_number();

/// A finite number of at least 0.
CLI::Validator non_negative_number();

/// A finite number above 0.
CLI::Validator positive_number();

/// The name of a file, or a finite number.
CLI::Validator finite_number_or_file();

/// A text that is not empty.
CLI::Validator kernel_name();
CLI::Validator file_name();

/// The command does nothing alone: one of its subcommands, which it must have by now, has to follow.
void need_subcommand(CLI::App& command);

}  // namespace fdlab::cli

// What the command line parser found wrong, as the one sentence that the programs say: what was expected, what was found.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fdlab::cli {

std::string sentence_of(const CLI::ParseError& error);

}  // namespace fdlab::cli

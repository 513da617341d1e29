// What `fdlab run` prints: a table for people, or JSON (core/io/FORMATS.md) for programs.
#pragma once

#include <string>

#include "cli/ran.h"
#include "cli/run_options.h"
#include "core/io/load_problem.h"
#include "cpu/check.h"

namespace fdlab::cli {

struct RunReport {
  const RunOptions& options;
  const Ran& ran;
  const LoadedProblem& loaded;
  const Check& check;
};

std::string run_table(const RunReport& report);
std::string run_json(const RunReport& report);

}  // namespace fdlab::cli

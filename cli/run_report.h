// What `fdlab run` prints: a table for people, or JSON (core/io/FORMATS.md) for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/run_options.h"
#include "core/io/load_problem.h"
#include "cpu/check.h"
#include "cpu/executor.h"

namespace fdlab::cli {

/// Which executor ran, and how.
struct RunOnCpu {
  DecodeOutput output;
  std::string executor;  ///< "fast" or "plain"
  std::string reason;    ///< why it was the plain one
  std::string isa;       ///< of the fast one, else empty
  int threads = 1;       ///< that took part
};

struct RunReport {
  const RunOptions& options;
  const RunOnCpu& run;
  const LoadedProblem& loaded;
  const Check& check;
  std::string backend_note;  ///< why this backend, if nobody chose it
};

std::string run_table(const RunReport& report);
std::string run_json(const RunReport& report);

}  // namespace fdlab::cli

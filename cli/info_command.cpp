// fdlab info: what this build has, and why it lacks what it lacks.
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/exit_code.h"
#include "cpu/host.h"
#include "cpu/isa.h"

namespace fdlab::cli {
namespace {

/// What the fast executor uses, and what `--isa` may ask for instead.
std::string isa_names() {
  std::vector<std::string> names;
  for (const Isa& isa : available_isas()) names.push_back(isa.name);
  return names.empty() ? "none of the fast executor's" : fmt::format("{}", fmt::join(names, ", "));
}

int info() {
  fmt::print("fdlab     {}\n", FDLAB_VERSION);
  fmt::print("threads   {} (OMP_NUM_THREADS)\n", num_threads());
  fmt::print("ISA       {}\n", isa_names());
  fmt::print("CUDA      {}\n", cuda_state().text);
  return kDone;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  app.add_subcommand("info", "say what this build has: threads, instruction set, CUDA devices")
      ->callback([&exit_code] { exit_code = info(); });
}

}  // namespace fdlab::cli

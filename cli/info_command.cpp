// fdlab info: what this build has, and why it lacks what it lacks.
#include "cli/commands.h"
#include "cli/cuda_state.h"
#include "cli/exit_code.h"
#include "cpu/host.h"

namespace fdlab::cli {
namespace {

int info() {
  fmt::print("fdlab     {}\n", FDLAB_VERSION);
  fmt::print("threads   {} (OMP_NUM_THREADS)\n", num_threads());
  fmt::print("CUDA      {}\n", cuda_state().text);
  return kDone;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  app.add_subcommand("info", "say what this build has: threads, instruction set, CUDA devices")
      ->callback([&exit_code] { exit_code = info(); });
}

}  // namespace fdlab::cli

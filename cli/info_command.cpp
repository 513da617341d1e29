// fdlab info: what this build has, and why it lacks what it lacks.
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace fdlab::cli {

void add_info(CLI::App& app, int& exit_code) {
  app.add_subcommand("info", "say what this build has: threads, instruction set, CUDA devices")
      ->callback([&exit_code] { exit_code = kDone; });
}

}  // namespace fdlab::cli

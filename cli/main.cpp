// fdlab: FlashDecoding Lab in the terminal.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/window_program.h"

using namespace fdlab::cli;

int main(int argc, char** argv) {
  if (is_for_window(argc, argv)) return become_window(argv);

  CLI::App app("FlashDecoding Lab: see it, prove it, run it. Without a command it opens the window.",
               "fdlab");
  app.require_subcommand(1);
  int exit_code = kDone;
  add_info(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, error.what());
  }
  return exit_code;
}

// fdlab: FlashDecoding Lab in the terminal.
#include <exception>
#include <optional>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/parse_fault.h"
#include "cli/window_program.h"
#include "core/io/printable.h"

using namespace fdlab::cli;

namespace {

/// Says in one sentence that the first argument is neither an option nor a command; nothing if it is one.
std::optional<std::string> fault_in_command(const CLI::App& app, const std::string& found) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == found || found.starts_with("-")) return std::nullopt;
    names += " " + command->get_name();
  }
  return fmt::format("expected a command of{}, found '{}'", names, fdlab::printable(found, 80));
}

}  // namespace

int main(int argc, char** argv) {
  if (is_for_window(argc, argv)) return become_window(argv);

  CLI::App app("FlashDecoding Lab: see it, prove it, run it. Without a command it opens the window.",
               "fdlab");
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();
  int exit_code = kDone;
  add_run(app, exit_code);
  add_compare(app, exit_code);
  add_bench(app, exit_code);
  add_record(app, exit_code);
  add_lesson(app, exit_code);
  add_simulate(app, exit_code);
  add_splits(app, exit_code);
  add_info(app, exit_code);
  if (const auto fault = fault_in_command(app, argv[1])) return fail(kBadInput, *fault);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return finish(app.exit(help));
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, fdlab::printable(sentence_of(error), 1000));
  } catch (const std::system_error&) {  // thrown by a print
    return finish(exit_code);
  } catch (const std::exception& failure) {  // a device that failed, memory that ran out
    return fail(kNotHere, fdlab::printable(failure.what(), 1000));
  }
  return finish(exit_code);
}

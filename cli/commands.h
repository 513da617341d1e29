// The commands of `fdlab`, one file each. add_* registers a command; when it has run, exit_code says how it
// went.
#pragma once

#include <CLI/CLI.hpp>

namespace fdlab::cli {

void add_run(CLI::App& app, int& exit_code);       // run_command.cpp
void add_compare(CLI::App& app, int& exit_code);   // compare_command.cpp
void add_bench(CLI::App& app, int& exit_code);     // bench_command.cpp
void add_record(CLI::App& app, int& exit_code);    // record_command.cpp
void add_info(CLI::App& app, int& exit_code);      // info_command.cpp
void add_lesson(CLI::App& app, int& exit_code);    // lesson_commands.cpp
void add_simulate(CLI::App& app, int& exit_code);  // simulate_command.cpp
void add_splits(CLI::App& app, int& exit_code);    // splits_command.cpp

}  // namespace fdlab::cli

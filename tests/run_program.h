// Runs the terminal program as a person would, and keeps what it printed and how it ended.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace fdlab {

struct ProgramRun {
  int exit_code;  ///< 128 + signal if it was killed
  std::string out, err;
};

inline std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// `arguments` without the program's own name.
inline ProgramRun run_program(const std::string& program, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, text_of_file(out), text_of_file(err)};
}

inline ProgramRun run_fdlab(const std::vector<std::string>& arguments) {
  return run_program(FDLAB_CLI, arguments);
}

inline bool is_one_line(const std::string& text) { return std::count(text.begin(), text.end(), '\n') == 1; }

/// fdlab refuses: exit code 2, nothing printed, and one line that has every part in it.
inline void check_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  const ProgramRun run = run_fdlab(arguments);
  CAPTURE(run.err);
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(is_one_line(run.err));
  for (const std::string& part : parts) CHECK(run.err.find(part) != std::string::npos);
}

}  // namespace fdlab

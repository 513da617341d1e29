// Every command that the README shows in a code block runs and ends well.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

/// Lines of the README's shell blocks that begin with the given word.
std::vector<std::string> readme_commands(const std::string& program) {
  std::ifstream readme(FDLAB_SOURCE_DIR "/README.md");
  std::vector<std::string> commands;
  bool in_block = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("```", 0) == 0) in_block = !in_block;
    else if (in_block && line.rfind(program + " ", 0) == 0) commands.push_back(line.substr(program.size()));
  }
  return commands;
}

}  // namespace

TEST_CASE("the README's commands run") {
  const std::vector<std::string> commands = readme_commands("fdlab");
  REQUIRE(commands.size() >= 4);
  for (const std::string& arguments : commands) {
    CAPTURE(arguments);
    CHECK(std::system(("cd '" FDLAB_SOURCE_DIR "' && '" FDLAB_CLI "'" + arguments + " >/dev/null").c_str()) == 0);
  }
}

#include "cli/window_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/exit_code.h"

namespace fdlab::cli {

bool is_for_window(int argc, char** argv) {
  if (argc < 2) return true;
  const std::string_view first = argv[1];
  const bool is_own = first == "-h" || first == "--help" || first == "--version";
  return first == "render" || (first.starts_with("--") && !is_own);
}

int become_window(char** argv) {
  static char offscreen[] = "--offscreen";
  if (argv[1] && std::string_view(argv[1]) == "render") argv[1] = offscreen;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return fail(kNotHere, "cannot tell where this program lies, so fdlab-window is not found beside it");
  const std::string window = (self.parent_path() / "fdlab-window").string();
  execv(window.c_str(), argv);
  const char* reason = errno == ENOENT ? "this build has no window" : std::strerror(errno);
  return fail(kNotHere,
              fmt::format("expected the window at {}: {}; `fdlab lesson list` works in the terminal", window,
                          reason));
}

}  // namespace fdlab::cli

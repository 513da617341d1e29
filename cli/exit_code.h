// What the programs' exit codes mean, and how a fault reaches the person: one sentence on stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace fdlab::cli {

inline constexpr int kDone = 0;      ///< done, and equal where something was compared
inline constexpr int kDiffers = 1;   ///< differs, or agrees only under a convention nobody declared
inline constexpr int kBadInput = 2;  ///< the command line or a file is not what was expected
inline constexpr int kNotHere = 3;   ///< this machine or this build cannot do it

/// Prints the sentence and hands the code back: `exit_code = fail(kBadInput, fault.sentence)`.
inline int fail(int code, const std::string& sentence) {
  std::fputs(fmt::format("fdlab: {}\n", sentence).c_str(), stderr);  // which may be closed: no throw
  return code;
}

/// The code, or kBadInput where standard output did not take what was printed.
inline int finish(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  return fail(kBadInput, "expected standard output to take what is printed, found it full or closed");
}

}  // namespace fdlab::cli

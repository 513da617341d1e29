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
  fmt::print(stderr, "fdlab: {}\n", sentence);
  return code;
}

}  // namespace fdlab::cli

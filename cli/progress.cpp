#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace fdlab::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{2000}, kPause{200};

}  // namespace

Progress::Progress(std::string work)
    : work_(std::move(work)), has_reader_(isatty(STDERR_FILENO)), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (has_shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(double share) {
  if (!has_reader_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPause;
  has_shown_ = true;
  fmt::print(stderr, "\r\x1b[K{} {:.0f} %", work_, 100 * share);
  std::fflush(stderr);
}

}  // namespace fdlab::cli

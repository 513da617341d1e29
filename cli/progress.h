// Says on standard error how far long work is, if a person is there to read it.
#pragma once

#include <chrono>
#include <string>

namespace fdlab::cli {

/// One line that is written over and goes away in the end. Nothing within the first two seconds, and nothing at all where
/// standard error is no terminal.
class Progress {
 public:
  explicit Progress(std::string work);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// share: of the work that is done, 0 to 1.
  void show(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string work_;
  bool has_reader_, has_shown_ = false;
  Clock::time_point next_;
};

}  // namespace fdlab::cli

// Which thread folds which stream. A thread has a run of neighbours, so that one stream ends in memory where its next
// begins, and takes from the runs of others when its own is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cpu/kernel.h"

namespace fdlab {

class StreamDeal {
 public:
  StreamDeal(std::vector<StreamTask> streams, int threads);

  /// The thread's next stream; null when none is left.
  const StreamTask* next(int thread);

 private:
  /// On a cache line of its own: other threads write theirs.
  struct alignas(64) Run {
    std::atomic<std::int64_t> next;
    std::int64_t end;
  };

  std::vector<StreamTask> streams_;
  std::vector<Run> runs_;
};

}  // namespace fdlab

#include "cpu/stream_deal.h"

#include <utility>

namespace fdlab {

StreamDeal::StreamDeal(std::vector<StreamTask> streams, int threads)
    : streams_(std::move(streams)), runs_(static_cast<std::size_t>(threads)) {
  const auto count = static_cast<std::int64_t>(streams_.size());
  for (std::int64_t i = 0; i < threads; ++i) {
    Run& run = runs_[static_cast<std::size_t>(i)];
    run.next = count * i / threads;
    run.end = count * (i + 1) / threads;
  }
}

const StreamTask* StreamDeal::next(int thread) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Run& run = runs_[(static_cast<std::size_t>(thread) + i) % runs_.size()];
    if (run.next.load(std::memory_order_relaxed) >= run.end) continue;
    const std::int64_t stream = run.next.fetch_add(1, std::memory_order_relaxed);
    if (stream < run.end) return &streams_[static_cast<std::size_t>(stream)];
  }
  return nullptr;
}

}  // namespace fdlab

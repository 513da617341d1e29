#include <algorithm>
#include <vector>

#include "cuda/bench_timing.h"

namespace fdlab::bench {
namespace {

constexpr int kGroups = 11;
constexpr double kGroupUs = 4000;

__global__ void empty_kernel() {}

cudaGraphExec_t capture(const std::function<void()>& enqueue, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  FD_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue();
  FD_CUDA(cudaStreamEndCapture(stream, &graph));
  FD_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  FD_CUDA(cudaGraphDestroy(graph));
  return executable;
}

double replay_us(cudaGraphExec_t graph, int replays, cudaStream_t stream) {
  cudaEvent_t start, stop;
  FD_CUDA(cudaEventCreate(&start));
  FD_CUDA(cudaEventCreate(&stop));
  FD_CUDA(cudaEventRecord(start, stream));
  for (int i = 0; i < replays; ++i) FD_CUDA(cudaGraphLaunch(graph, stream));
  FD_CUDA(cudaEventRecord(stop, stream));
  FD_CUDA(cudaEventSynchronize(stop));
  float ms = 0;
  FD_CUDA(cudaEventElapsedTime(&ms, start, stop));
  FD_CUDA(cudaEventDestroy(start));
  FD_CUDA(cudaEventDestroy(stop));
  return ms * 1000.0;
}

/// Median time of one replay.
double median_us(const std::function<void()>& enqueue, cudaStream_t stream) {
  cudaGraphExec_t graph = capture(enqueue, stream);
  replay_us(graph, 1, stream);
  const double once = replay_us(graph, 1, stream);
  const int replays = std::clamp(static_cast<int>(kGroupUs / once), 1, 200);
  std::vector<double> groups;
  for (int i = 0; i < kGroups; ++i) groups.push_back(replay_us(graph, replays, stream) / replays);
  FD_CUDA(cudaGraphExecDestroy(graph));
  std::nth_element(groups.begin(), groups.begin() + kGroups / 2, groups.end());
  return groups[kGroups / 2];
}

/// A graph holds at least four calls, and every set equally often.
int calls_in_graph(int sets) { return sets < 4 ? 4 / sets * sets : sets; }

}  // namespace

double time_back_to_back_us(int sets, const Call& call, cudaStream_t stream) {
  const int calls = calls_in_graph(sets);
  const auto enqueue = [&] {
    for (int i = 0; i < calls; ++i) call(i % sets, stream);
  };
  return median_us(enqueue, stream) / calls;
}

Times time_calls(int sets, const Call& call, cudaStream_t stream) {
  const int calls = calls_in_graph(sets);
  const auto enqueue_empty = [&] { empty_kernel<<<32, 128, 0, stream>>>(); };
  const double with_empty = median_us(
      [&] {
        for (int i = 0; i < calls; ++i) {
          enqueue_empty();
          call(i % sets, stream);
        }
      },
      stream);
  const double empty = median_us(
      [&] {
        for (int i = 0; i < calls; ++i) enqueue_empty();
      },
      stream);
  return {time_back_to_back_us(sets, call, stream), (with_empty - empty) / calls};
}

}  // namespace fdlab::bench

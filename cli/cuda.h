// What the terminal asks of a GPU. With a CUDA part cuda_*.cpp answer, without it no_cuda.cpp, which says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/ran.h"
#include "cli/run_options.h"
#include "core/sim/decode_shape.h"

namespace fdlab::cli {

struct CudaState {
  bool available = false;
  std::string text;  ///< the device in words, or the reason there is none
};
CudaState cuda_state();

/// `--backend cuda`. Refuses in one sentence what the device or the chosen kernel does not take; throws if the device fails.
Result<Ran> run_on_cuda(const RunOptions& options, const DecodeProblem& problem);

/// What a kernel of the ladder is launched with, by name; empty: the production kernel.
struct LaunchOptions {
  std::string kernel;
  std::int32_t num_splits = 0;  ///< 0: chosen
};

struct BenchCudaOptions {
  std::optional<DecodeShape> shape;  ///< none: the shapes that the project's goals name
  std::int32_t page_size = 0;        ///< 0: a cache in one piece
  LaunchOptions launch;
  std::int32_t warps = 0, stages = 0;  ///< 0: chosen
  std::string merge;                   ///< empty: chosen
  bool kv_is_ready = false, peers = true, json = false;
};
/// `fdlab bench cuda`, where cuda_state() is available. The exit code.
int bench_on_cuda(const BenchCudaOptions& options);

struct RecordOptions {
  DecodeShape shape;
  LaunchOptions launch;
  std::string path;  ///< empty: standard output
};
/// `fdlab record`, likewise.
int record_on_cuda(const RecordOptions& options);

}  // namespace fdlab::cli

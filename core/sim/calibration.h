// Where the memory model's constants come from: measured reads of one GPU, and the fit. The fit sees some rows of the
// table; the others judge it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/sim/gpu.h"

namespace fdlab {

/// `blocks` blocks, each streaming its own bytes from memory.
struct MeasuredRead {
  std::int64_t threads, bytes_in_flight, blocks;
  double span_us;   ///< first start to last end
  double block_us;  ///< mean over the blocks of their own duration
};

struct ReadSweep {
  std::string device, driver, date;
  std::int64_t bytes_per_block = 0, registers_per_thread = 0;
  std::vector<MeasuredRead> rows;

  std::string badge() const { return device + ", driver " + driver + ", " + date; }
};

/// The built-in table (core/sim/data/h200_read_sweep.toml).
ReadSweep read_sweep();

struct PredictedRead {
  double span_us, block_us;
};
PredictedRead predict_read(const Gpu& gpu, const ReadSweep& sweep, const MeasuredRead& row);

/// The six free constants, least squares of the relative errors of span and block time over the rows with these thread
/// counts (block time at half weight: it is printed to three digits). A few thousand simulated grids.
MemoryModel fit_memory_model(Gpu gpu, const ReadSweep& sweep, const std::vector<std::int64_t>& threads);

inline constexpr std::array kFreeConstants{
    "latency_us", "queue_us", "queue_exponent", "ceiling_share", "latency_per_doubling", "spread"};
/// Their values, in that order.
std::array<double, kFreeConstants.size()> free_constants(const Gpu& gpu);

}  // namespace fdlab

#include "core/sim/calibration.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/io/strict_json.h"
#include "core/io/toml.h"
#include "core/sim/data.h"
#include "core/sim/grid.h"
#include "core/sim/nelder_mead.h"

namespace fdlab {
namespace {

constexpr int kIterations = 300;
constexpr double kBlockTimeWeight = 0.5;
constexpr double kImpossible = 1e3;

void set_constants(Gpu& gpu, const Point& p) {
  gpu.memory.dram = {p[0], p[1], p[2], p[3] * gpu.dram_gb_s};
  gpu.memory.latency_per_doubling = p[4];
  gpu.memory.spread = p[5];
}

double squared_error(const Gpu& gpu, const ReadSweep& sweep, const std::vector<std::int64_t>& threads) {
  double sum = 0;
  int rows = 0;
  for (const MeasuredRead& row : sweep.rows) {
    if (std::find(threads.begin(), threads.end(), row.threads) == threads.end()) continue;
    const PredictedRead predicted = predict_read(gpu, sweep, row);
    const double span = predicted.span_us / row.span_us - 1, block = predicted.block_us / row.block_us - 1;
    sum += span * span + kBlockTimeWeight * block * block;
    ++rows;
  }
  return sum / rows;
}

}  // namespace

ReadSweep read_sweep() {
  const char* name = "h200_read_sweep.toml";
  const auto parsed = parse_toml(sim_data_text(name), name);
  if (!parsed) throw std::logic_error(parsed.fault().sentence);
  const nlohmann::json& table = *parsed;
  ReadSweep sweep{table.at("device"),
                  table.at("driver"),
                  table.at("date"),
                  table.at("bytes_per_block"),
                  table.at("registers_per_thread"),
                  {}};
  for (const auto& series : table.at("series"))
    for (std::size_t i = 0; i < series.at("blocks").size(); ++i)
      sweep.rows.push_back(
          {series.at("threads"), series.at("bytes_in_flight_per_block"), series.at("blocks")[i],
           series.at("span_us")[i],
           static_cast<double>(sweep.bytes_per_block) / 1e3 / series.at("block_gb_s")[i].get<double>()});
  return sweep;
}

PredictedRead predict_read(const Gpu& gpu, const ReadSweep& sweep, const MeasuredRead& row) {
  GridModel model;
  model.block = {row.threads, sweep.registers_per_thread, 0};
  model.bytes_in_flight = row.bytes_in_flight;
  const std::vector<BlockWork> work(static_cast<std::size_t>(row.blocks),
                                    BlockWork{0, 0, 0, sweep.bytes_per_block});
  const KernelRun run = run_grid(gpu, model, work);
  double total_us = 0;
  for (const ScheduledBlock& b : run.blocks) total_us += b.end_us - b.start_us;
  return {run.span_us, total_us / static_cast<double>(run.blocks.size())};
}

std::array<double, kFreeConstants.size()> free_constants(const Gpu& gpu) {
  const MemoryModel& m = gpu.memory;
  return {m.dram.latency_us,      m.dram.queue_us, m.dram.queue_exponent, m.dram.ceiling_gb_s / gpu.dram_gb_s,
          m.latency_per_doubling, m.spread};
}

MemoryModel fit_memory_model(Gpu gpu, const ReadSweep& sweep, const std::vector<std::int64_t>& threads) {
  const auto error = [&](const Point& p) {
    const bool possible =
        p[0] > 0 && p[1] > 0 && p[2] > 0 && p[2] < 2 && p[3] > 0.9 && p[4] >= 0 && p[5] >= 0 && p[5] < 0.2;
    if (!possible) return kImpossible;
    set_constants(gpu, p);
    return squared_error(gpu, sweep, threads);
  };
  // From round figures: a latency of 1.3 us, queues that add a tenth of it, the data sheet's bandwidth.
  set_constants(gpu, nelder_mead(error, {1.3, 0.15, 0.8, 1.0, 0.01, 0.02},
                                 {0.05, 0.05, 0.1, 0.02, 0.01, 0.01}, kIterations));
  return gpu.memory;
}

}  // namespace fdlab

#include "core/sim/memory_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/io/strict_json.h"
#include "core/io/toml.h"
#include "core/sim/data.h"

namespace fdlab {
namespace {

constexpr double kReferenceBytes = 16384;  // of latency_per_doubling
constexpr double kGoldenRatio = 0.618033988749894848;
constexpr double kBytesPerUs = 1e3;      // 1 GB/s
constexpr double kLoadShort = 1 - 1e-9;  // the ceiling itself has no finite latency

/// L · X, the bytes that must be in flight for a throughput: increasing in X.
double bytes_in_flight_for(const MemoryModel& model, double gb_s, double l2_share) {
  return gb_s * kBytesPerUs * model.loaded_latency_us(gb_s, l2_share);
}

}  // namespace

double MemoryPath::loaded_latency_us(double gb_s) const {
  const double load = gb_s / ceiling_gb_s;
  return latency_us + queue_us * load / std::pow(1 - load, queue_exponent);
}

double MemoryModel::latency_factor(double bytes_in_flight, std::int64_t place) const {
  const double doublings = std::log2(bytes_in_flight / kReferenceBytes);
  // Multiples of the golden ratio spread any number of first SMs evenly over [−1, 1].
  const double turn = static_cast<double>(place) * kGoldenRatio + 0.25;
  const double position = 2 * (turn - std::floor(turn)) - 1;
  return std::max(0.5, 1 + latency_per_doubling * doublings) + spread * position;
}

double MemoryModel::loaded_latency_us(double gb_s, double l2_share) const {
  const double from_dram = 1 - l2_share;
  double latency = 0;
  if (from_dram > 0) latency += from_dram * dram.loaded_latency_us(gb_s * from_dram);
  if (l2_share > 0) latency += l2_share * l2.loaded_latency_us(gb_s * l2_share);
  return latency;
}

double MemoryModel::ceiling_gb_s(double l2_share) const {
  const double from_dram = l2_share < 1 ? dram.ceiling_gb_s / (1 - l2_share) : INFINITY;
  const double from_l2 = l2_share > 0 ? l2.ceiling_gb_s / l2_share : INFINITY;
  return std::min(from_dram, from_l2);
}

double MemoryModel::throughput_gb_s(double demand_bytes, double l2_share, double capped_gb_s) const {
  // Bisection on X − capped − demand / L(X) = 0, whose left side increases with X.
  double low = capped_gb_s, high = ceiling_gb_s(l2_share) * kLoadShort;
  if (low >= high) return high;
  for (int i = 0; i < 48; ++i) {
    const double middle = 0.5 * (low + high);
    const double excess =
        bytes_in_flight_for(*this, middle, l2_share) * (1 - capped_gb_s / middle) - demand_bytes;
    (excess < 0 ? low : high) = middle;
  }
  return low;
}

MemoryModel memory_model(double dram_gb_s, double l2_gb_s, double l2_latency_us) {
  const auto parsed = parse_toml(sim_data_text("memory_model.toml"), "memory_model.toml");
  if (!parsed) throw std::logic_error(parsed.fault().sentence);
  std::optional<Fault> fault;
  StrictObject constants(*parsed, "memory_model.toml", fault);
  MemoryModel model;
  model.fitted_on = constants.text("fitted_on");
  model.dram = {constants.positive_number("latency_us"), constants.positive_number("queue_us"),
                constants.positive_number("queue_exponent"),
                constants.positive_number("ceiling_share") * dram_gb_s};
  model.latency_per_doubling = constants.positive_number("latency_per_doubling");
  model.spread = constants.positive_number("spread");
  constants.finish();
  if (fault) throw std::logic_error(fault->sentence);

  // L2's queue has the same shape, in proportion to its latency.
  model.l2 = model.dram;
  model.l2.latency_us = l2_latency_us;
  model.l2.queue_us *= l2_latency_us / model.dram.latency_us;
  model.l2.ceiling_gb_s = l2_gb_s;
  return model;
}

}  // namespace fdlab

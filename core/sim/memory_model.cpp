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
constexpr double kPrecision = 1e-9;      // of a root

}  // namespace

MemoryPath::Latency MemoryPath::loaded(double gb_s) const {
  const double load = gb_s / ceiling_gb_s;
  const double queue = queue_us * std::pow(1 - load, -queue_exponent);
  return {latency_us + queue * load, queue * (1 + queue_exponent * load / (1 - load)) / ceiling_gb_s};
}

double MemoryModel::latency_factor(double bytes_in_flight, std::int64_t place) const {
  const double doublings = std::log2(bytes_in_flight / kReferenceBytes);
  // Multiples of the golden ratio spread any number of first SMs evenly over [−1, 1].
  const double turn = static_cast<double>(place) * kGoldenRatio + 0.25;
  const double position = 2 * (turn - std::floor(turn)) - 1;
  return std::max(0.5, 1 + latency_per_doubling * doublings) + spread * position;
}

MemoryPath::Latency MemoryModel::loaded(double gb_s, double l2_share) const {
  MemoryPath::Latency mean{0, 0};
  const auto add = [&](const MemoryPath& path, double share) {
    if (share == 0) return;
    const MemoryPath::Latency latency = path.loaded(gb_s * share);
    mean.us += share * latency.us;
    mean.us_per_gb_s += share * share * latency.us_per_gb_s;
  };
  add(dram, 1 - l2_share);
  add(l2, l2_share);
  return mean;
}

double MemoryModel::ceiling_gb_s(double l2_share) const {
  const double from_dram = l2_share < 1 ? dram.ceiling_gb_s / (1 - l2_share) : INFINITY;
  const double from_l2 = l2_share > 0 ? l2.ceiling_gb_s / l2_share : INFINITY;
  return std::min(from_dram, from_l2);
}

double MemoryModel::throughput_gb_s(double demand_bytes, double l2_share) const {
  return ThroughputCurve(*this, l2_share).gb_s(demand_bytes);
}

ThroughputCurve::ThroughputCurve(const MemoryModel& memory, double l2_share)
    : memory_(memory), l2_share_(l2_share), most_gb_s_(memory.ceiling_gb_s(l2_share) * kLoadShort) {}

double ThroughputCurve::gb_s(double demand_bytes) {
  // Newton's method on X · L(X) − demand, which increases with X; halving where it would leave the bracket.
  double low = 0, high = most_gb_s_;
  double x = gb_s_ + (demand_bytes - demand_bytes_) * gb_s_per_byte_;
  if (!(x > low && x < high)) x = 0.5 * high;
  double next = x;
  for (int i = 0; i < 100; ++i) {
    const MemoryPath::Latency latency = memory_.loaded(x, l2_share_);
    const double excess = x * latency.us * kBytesPerUs - demand_bytes;
    (excess < 0 ? low : high) = x;
    gb_s_per_byte_ = 1 / ((latency.us + x * latency.us_per_gb_s) * kBytesPerUs);
    next = x - excess * gb_s_per_byte_;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    // What is left after a step is near its square over the distance to the ceiling.
    if ((next - x) * (next - x) <= kPrecision * x * (most_gb_s_ - x)) break;
    x = next;
  }
  demand_bytes_ = demand_bytes;
  return gb_s_ = next;
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

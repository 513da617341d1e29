// How active blocks share the memory's bandwidth.
//
// A block keeps at most w bytes in flight, and a byte is back after a latency L, so it reads w / L bytes a second (Little's
// law): one block can never use the GPU. The more everybody reads, the longer the queues, the larger L. With throughput
// X, ceiling C and load u = X / C
//
//   L(u) = L0 + Q · u / (1 − u)^e              X = Σ w / (f · L(u))        summed over the active blocks
//
// f, near 1, says how much longer one block waits than another: by `latency_per_doubling` for each doubling of w above
// 16 KiB (the last of more loads comes later), and by up to `spread` with its place on the chip. X is the root of the
// second equation. It bends smoothly from Σ w / (f · L0) towards C and never reaches it.
//
// The six constants are fitted to measured reads of one H200 (core/sim/calibration.h); a file holds them with their origin.
#pragma once

#include <cstdint>
#include <string>

namespace fdlab {

/// One level of memory.
struct MemoryPath {
  double latency_us = 0;      ///< L0, unloaded
  double queue_us = 0;        ///< Q
  double queue_exponent = 0;  ///< e
  double ceiling_gb_s = 0;    ///< C

  struct Latency {
    double us, us_per_gb_s;  ///< L and dL/dX
  };
  Latency loaded(double gb_s) const;  ///< at a throughput below the ceiling
};

struct MemoryModel {
  MemoryPath dram, l2;
  double latency_per_doubling = 0;
  double spread = 0;
  std::string fitted_on;  ///< device, driver, date and rows behind the constants

  /// f of a block with `bytes_in_flight` on the SM that is `place`-th of the launch order.
  double latency_factor(double bytes_in_flight, std::int64_t place) const;

  /// L while all blocks together read `gb_s`, a share of it from L2.
  MemoryPath::Latency loaded(double gb_s, double l2_share) const;
  double ceiling_gb_s(double l2_share) const;

  /// X: what blocks get that together keep `demand_bytes` = Σ w / f in flight.
  double throughput_gb_s(double demand_bytes, double l2_share) const;
};

/// X at one demand after another. Each root is sought from the tangent at the last one, so that a small change costs one step.
class ThroughputCurve {
 public:
  ThroughputCurve(const MemoryModel& memory, double l2_share);
  double gb_s(double demand_bytes);

 private:
  const MemoryModel& memory_;
  const double l2_share_, most_gb_s_;
  double demand_bytes_ = 0, gb_s_ = 0, gb_s_per_byte_ = 0;  // the last root
};

/// The built-in constants for a GPU with this data-sheet bandwidth and this L2.
MemoryModel memory_model(double dram_gb_s, double l2_gb_s, double l2_latency_us);

}  // namespace fdlab

// What `fdlab simulate` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sim/against.h"
#include "core/sim/communication.h"
#include "core/sim/schedule.h"

namespace fdlab::cli {

struct TextSize {
  int columns = 0;  ///< 0: the terminal's width
  int lanes = 12;
};

void print_schedule(const Schedule& schedule, const Gpu& gpu, std::optional<double> at_us,
                    const TextSize& size);
void print_comparison(const Comparison& comparison, const Recording& recording);
void print_exchanges(const std::vector<Exchange>& exchanges, const DecodeShape& shape, std::int64_t devices,
                     const Link& link);
/// Fits anew, and prints the constants and every measured row beside what they predict.
void print_calibration(Gpu gpu);
/// The same for a recorded kernel's constants and its recordings, of one device.
void print_fit(const Gpu& gpu, const std::string& kernel, const std::vector<Recording>& recordings);

}  // namespace fdlab::cli

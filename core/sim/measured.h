// What was measured of a launch, if it was: a recording of the same kernel on the same input, or a row of the read sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/sim/gpu.h"
#include "core/sim/kernel_model.h"
#include "core/sim/recording.h"

namespace fdlab {

struct MeasuredLaunch {
  double time_us = 0;
  bool is_span = false;  ///< first start to last end of the blocks; else the whole call, merge included
  std::string device, driver, date;   ///< shown beside every figure
  std::vector<RecordedBlock> blocks;  ///< empty where only the time was kept

  std::string badge() const { return device + ", driver " + driver + ", " + date; }
};

/// Every recording (*.json) of a folder, by name. One that cannot be read is a fault.
Result<std::vector<Recording>> read_recordings(const std::string& folder);

std::optional<MeasuredLaunch> find_measured(const std::vector<Recording>& recordings, const Gpu& gpu,
                                            const KernelModel& kernel, const DecodeShape& shape,
                                            std::int64_t num_splits);

}  // namespace fdlab

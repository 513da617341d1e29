#include "core/sim/measured.h"

#include <algorithm>
#include <filesystem>

#include "core/sim/calibration.h"

namespace fdlab {
namespace {

/// Equal lengths may be written as one number or one a sequence.
bool is_same_input(DecodeShape a, DecodeShape b) {
  for (DecodeShape* shape : {&a, &b})
    if (shape->kv_lens.empty()) shape->kv_lens.assign(static_cast<std::size_t>(shape->batch), shape->kv_len);
  a.kv_len = b.kv_len;
  return a == b;
}

/// A plain read of the sweep: as many threads, bytes in flight, and bytes a block.
bool is_of_sweep(const ReadSweep& sweep, const KernelModel& kernel, const DecodeShape& shape,
                 const MeasuredRead& row) {
  return kernel.name.starts_with("read-") && row.threads == kernel.block.threads &&
         row.bytes_in_flight == kernel.bytes_in_flight && shape.kv_lens.empty() &&
         shape.kv_len * shape.bytes_per_key() == sweep.bytes_per_block &&
         row.blocks == shape.batch * shape.kv_heads;
}

std::optional<MeasuredLaunch> find_read(const Gpu& gpu, const KernelModel& kernel, const DecodeShape& shape) {
  const ReadSweep sweep = read_sweep();
  if (gpu.name != sweep.device) return std::nullopt;
  for (const MeasuredRead& row : sweep.rows)
    if (is_of_sweep(sweep, kernel, shape, row))
      return MeasuredLaunch{row.span_us, true, sweep.device, sweep.driver, sweep.date, {}};
  return std::nullopt;
}

}  // namespace

Result<std::vector<Recording>> read_recordings(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Recording> recordings;
  for (const std::string& path : paths) {
    auto recording = read_recording(path);
    if (!recording) return recording.fault();
    recordings.push_back(std::move(*recording));
  }
  return recordings;
}

std::optional<MeasuredLaunch> find_measured(const std::vector<Recording>& recordings, const Gpu& gpu,
                                            const KernelModel& kernel, const DecodeShape& shape,
                                            std::int64_t num_splits) {
  for (const Recording& r : recordings)
    if (r.device == gpu.name && r.kernel == kernel.name && r.num_splits == num_splits &&
        is_same_input(r.problem, shape))
      return MeasuredLaunch{r.time_us, false, r.device, r.driver, r.date, r.blocks};
  return num_splits == 1 ? find_read(gpu, kernel, shape) : std::nullopt;
}

}  // namespace fdlab

// Runs a kernel on random data and keeps what each block did: core's Recording, ready to be written as JSON.
#pragma once

#include "core/io/result.h"
#include "core/sim/recording.h"
#include "cuda/device.h"

namespace fdlab {

struct RecordRequest {
  DecodeShape shape;            ///< bf16 cache, head_dim 128
  int rung = 7;                 ///< 1 or 7: the kernels that are built with a recorder
  std::int32_t num_splits = 0;  ///< 0: chosen to fill the device
};

/// Refuses in one sentence what is not built with a recorder. Throws CudaError if the device fails.
Result<Recording> record_on_device(const RecordRequest& request, const DeviceInfo& device);

}  // namespace fdlab

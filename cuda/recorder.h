// Runs a kernel on random data and keeps what each block did: core's Recording, ready to be written as JSON.
#pragma once

#include "core/io/result.h"
#include "core/sim/recording.h"
#include "cuda/ladder.h"

namespace fdlab {

struct RecordRequest {
  DecodeShape shape;            ///< bf16 cache, head_dim 128
  const Rung* rung = nullptr;   ///< one-block or one-kernel; null: one-kernel
  std::int32_t num_splits = 0;  ///< 0: chosen to fill the device
};

/// Refuses in one sentence what is not built with a recorder. Throws CudaError if the device fails.
Result<Recording> record_on_device(const RecordRequest& request, const DeviceInfo& device);

}  // namespace fdlab

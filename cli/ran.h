// A decode problem that was computed: what came out, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/plan/method.h"
#include "core/plan/plan.h"
#include "cpu/executor.h"

namespace fdlab::cli {

/// What the device did.
struct RanOnDevice {
  std::string device, driver;
  std::string kernel;       ///< as the ladder lists it, or which production instance
  std::int64_t splits = 1;  ///< of a row's keys, as launched
  std::string merge;        ///< how the splits became one: none, cluster, last-arriver or second-kernel
};

struct Ran {
  DecodeOutput output;
  Method method = Method::lse;
  DecodePlan plan;       ///< on the device: tiles that splits are cut at, splits as streams
  std::string executor;  ///< "fast" or "plain"; on the device "kernel"
  std::string reason;    ///< why it was the plain one
  std::string isa;       ///< of the fast one, else empty
  int threads = 1;       ///< of the CPU that took part
  std::optional<RanOnDevice> on_device;
  std::string backend_note;  ///< why it was the CPU, if nobody chose it
};

}  // namespace fdlab::cli

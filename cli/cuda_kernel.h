// A kernel of the ladder by its name, and what it makes of a plan. A null rung is the production kernel.
#pragma once

#include <string>

#include "core/io/result.h"
#include "cuda/ladder.h"

namespace fdlab::cli {

/// Null for an empty name.
Result<const Rung*> find_rung(const std::string& name);

/// The splits of a row's keys that the kernel makes.
std::int64_t splits_of(const CudaPlan& plan, const Rung* rung);

/// How they become one: none, cluster, last-arriver or second-kernel.
const char* merge_name(const CudaPlan& plan, const Rung* rung);

}  // namespace fdlab::cli

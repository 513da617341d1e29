// A kernel of the ladder by its name.
#pragma once

#include <string>

#include "core/io/result.h"
#include "cuda/ladder.h"

namespace fdlab::cli {

/// Null for an empty name: the production kernel.
Result<const Rung*> find_rung(const std::string& name);

}  // namespace fdlab::cli

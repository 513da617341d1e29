// The sizes of a decode step as options: --batch, --q-heads, --kv-heads, --q-len, --kv-len, --kv-lens, --head-dim, --v-head-dim,
// --kv-dtype.
#pragma once

#include <CLI/CLI.hpp>

#include "core/io/result.h"
#include "core/sim/decode_shape.h"

namespace fdlab::cli {

/// Registers them; those not given keep what `shape` holds, but v_head_dim, which follows head_dim.
void add_shape_options(CLI::App& command, DecodeShape& shape);

/// Once parsed: fills in what follows from other options, refuses what is impossible.
std::optional<Fault> complete_shape(DecodeShape& shape);

/// Whether the parsed command line gives any of them.
bool gives_shape(const CLI::App& command);

}  // namespace fdlab::cli

// The instruction sets that the fast executor is compiled for, and which of them this machine can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/kernel.h"
#include "cpu/read_ceiling.h"

namespace fdlab {

struct Isa {
  const char* name;  ///< as `--isa` takes it: "avx512", "avx2" or "sse4"; "native" where these mean nothing
  FoldStreams fold_streams;
  BlendPayloads blend_payloads;
  ReadStreams read_streams;
};

/// Those that run here, the fastest first. Empty only on an x86 processor without SSE4.2.
const std::vector<Isa>& available_isas();

/// By name; nothing if this build or this machine lacks it.
std::optional<Isa> isa_from_name(const std::string& name);

}  // namespace fdlab

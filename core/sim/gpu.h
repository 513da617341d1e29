// A GPU as the simulator knows it: how many SMs, what fits one, how fast memory and arithmetic are, in which order an
// empty GPU hands out its SMs. Read from TOML files (core/sim/data/gpus); every figure there names its source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"
#include "core/sim/memory_model.h"

namespace fdlab {

struct Gpu {
  std::string name;  ///< as the driver calls it: "NVIDIA H200"
  std::int64_t sms = 0;
  double clock_mhz = 0, tensor_tflops = 0;

  // What fits one SM at a time, and what it does in a clock.
  std::int64_t threads_per_sm = 0, blocks_per_sm = 0, registers_per_sm = 0;
  std::int64_t shared_bytes_per_sm = 0, shared_bytes_per_block = 0, shared_bytes_reserved = 0;
  double fma_per_clock = 0, exp_per_clock = 0, l2_bytes_per_clock = 0;

  double dram_gb_s = 0;  ///< of the data sheet
  std::int64_t l2_bytes = 0;
  MemoryModel memory;

  double launch_us = 0;                    ///< from one kernel's end to the next one's first block
  double block_launch_us = 0;              ///< between two blocks of a wave
  std::vector<std::int32_t> launch_order;  ///< all SMs, in the order in which an empty GPU fills them
  std::vector<std::int64_t> gpc_sms;       ///< SMs of each GPC along it; empty: not known
  /// SMs that share their way to memory with fewer others than most do. Which these are differs from card to card.
  std::int64_t roomy_sms = 0;
  /// Per SM: is its L2 the second half? What is on the other half comes later. Empty: not known, or there is one L2 for all.
  std::vector<bool> on_second_half;
  double crossing_us = 0;  ///< what a load is spared that another block has fetched into the near half

  std::map<std::string, std::string> sources;  ///< "memory.dram_gb_s" → where the figure comes from

  std::int64_t warps_per_sm() const { return threads_per_sm / 32; }
  /// The SM that is `place`-th of the launch order: roomy ones stand there in pairs, evenly among the others.
  bool is_roomy(std::int64_t place) const {
    const std::int64_t pair = place / 2;
    return (pair + 1) * roomy_sms / sms > pair * roomy_sms / sms;
  }
};

/// Strict: an unknown field, a missing one, one without a source or an impossible value is refused in one sentence.
Result<Gpu> parse_gpu(std::string_view toml, const std::string& name);

/// A built-in GPU by its short name ("h200"), or a file by its path (anything that ends in .toml).
Result<Gpu> find_gpu(const std::string& name_or_path);

/// The built-in GPU that the driver calls so ("NVIDIA H200"), for a recording.
Result<Gpu> find_gpu_of_device(const std::string& device);

std::vector<std::string> builtin_gpu_names();

}  // namespace fdlab

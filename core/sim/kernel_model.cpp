#include "core/sim/kernel_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/io/printable.h"
#include "core/io/strict_json.h"
#include "core/io/toml.h"
#include "core/sim/data.h"

namespace fdlab {
namespace {

constexpr std::int64_t kTensorRows = 16;  // m of the mma instruction

/// Zero or more; the file writes no negative time.
double time_us(StrictObject& kernel, const char* field) {
  return kernel.has(field) ? kernel.positive_number(field) : 0;
}

template <class T>
T one_of(StrictObject& kernel, const char* field, const char* first, T first_value, const char* second,
         T second_value) {
  const std::string found = kernel.text(field);
  if (found != first && found != second)
    kernel.refuse(fmt::format("expected '{}' to be {} or {}, found '{}'", field, first, second, found));
  return found == first ? first_value : second_value;
}

KernelModel read_kernel(const std::string& name, StrictObject kernel) {
  KernelModel model;
  model.name = name;
  model.block = {kernel.integer("threads", 1, 1024), kernel.integer("registers_per_thread", 1, 255),
                 kernel.integer("shared_bytes", 0, 1 << 20)};
  model.bytes_in_flight = kernel.integer("bytes_in_flight", 1, 1 << 20);
  model.tile_size = kernel.integer("tile_size", 1, 1 << 20);
  model.deal = one_of(kernel, "deal", "balanced", Deal::balanced, "contiguous", Deal::contiguous);
  model.block_per_query_head = one_of(kernel, "block_per", "query-head", true, "kv-head", false);
  model.reads_ahead = one_of(kernel, "reads", "ahead", true, "by-turns", false);
  model.math = one_of(kernel, "math", "tensor", MathUnit::tensor, "fma", MathUnit::fma);
  model.math_share = kernel.positive_number("math_share");
  model.start_us = time_us(kernel, "start_us");
  model.setup_us = time_us(kernel, "setup_us");
  model.cold_us = time_us(kernel, "cold_us");
  model.end_us = time_us(kernel, "end_us");
  if (kernel.has("round_us")) model.round_us = kernel.number("round_us");
  model.merge =
      one_of(kernel, "merge", "second-kernel", MergeBy::second_kernel, "last-arriver", MergeBy::last_arriver);
  if (kernel.has("memory_share")) model.memory_share = kernel.positive_number("memory_share");
  if (kernel.has("crowding")) model.crowding = kernel.positive_number("crowding");
  model.merge_us = time_us(kernel, "merge_us");
  if (kernel.has("merge_trips")) model.merge_trips = kernel.positive_number("merge_trips");
  model.source = kernel.text("source");
  kernel.finish();
  return model;
}

nlohmann::json builtin_kernels() {
  const auto parsed = parse_toml(sim_data_text("kernels.toml"), "kernels.toml");
  if (!parsed) throw std::logic_error(parsed.fault().sentence);
  return *parsed;
}

}  // namespace

double KernelModel::math_gb_s(const DecodeShape& shape, const Gpu& gpu) const {
  const double rows = static_cast<double>(rows_per_block(shape));
  const double padded =
      static_cast<double>((rows_per_block(shape) + kTensorRows - 1) / kTensorRows * kTensorRows);
  const double columns = static_cast<double>(shape.head_dim + shape.v_head_dim);
  const double tensor_per_us = gpu.tensor_tflops * 1e6 / 2 / static_cast<double>(gpu.sms);
  const double products_us = math == MathUnit::tensor ? padded * columns / tensor_per_us
                                                      : rows * columns / (gpu.fma_per_clock * gpu.clock_mhz);
  const double exps_us = rows / (gpu.exp_per_clock * gpu.clock_mhz);
  const double key_us = std::max(products_us, exps_us) / math_share;  // the units work side by side
  return static_cast<double>(shape.bytes_per_key()) / key_us * 1e-3;
}

std::vector<std::string> builtin_kernel_names() {
  std::vector<std::string> names;
  const nlohmann::json kernels = builtin_kernels();
  for (const auto& [name, table] : kernels.items()) names.push_back(name);
  return names;
}

Result<KernelModel> find_kernel(const std::string& name) {
  const nlohmann::json kernels = builtin_kernels();
  if (!kernels.contains(name))
    return Fault{fmt::format("expected a kernel ({}), found '{}'", fmt::join(builtin_kernel_names(), ", "),
                             printable(name, 80))};
  std::optional<Fault> fault;
  StrictObject all(kernels, "kernels.toml", fault);
  KernelModel model = read_kernel(name, all.object(name.c_str()));
  if (fault) return *fault;
  return model;
}

}  // namespace fdlab

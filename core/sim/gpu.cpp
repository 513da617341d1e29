#include "core/sim/gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/io/mapped_file.h"
#include "core/io/printable.h"
#include "core/io/strict_json.h"
#include "core/io/toml.h"
#include "core/sim/data.h"

namespace fdlab {
namespace {

constexpr std::string_view kFolder = "gpus/", kEnding = ".toml";
constexpr double kMostSms = 4096;
constexpr double kLeast = 1e-3, kMost = 1e7;  // of any rate or time: beyond, a step has no end

/// Reads the figures of one table; each is {value = …, source = "…"}.
class FigureReader {
 public:
  FigureReader(StrictObject table, std::string prefix, Gpu& gpu)
      : table_(std::move(table)), prefix_(std::move(prefix)), gpu_(gpu) {}

  double number(const char* field, double least = kLeast, double most = kMost) {
    const double value = figure(field);
    if (value < least || value > most)
      table_.refuse(fmt::format("expected '{}' to be from {} to {}, found {}", field, least, most, value));
    return std::clamp(value, least, most);
  }
  std::int64_t count(const char* field, double most) {
    const double value = figure(field);
    if (value != std::floor(value) || value > most)
      table_.refuse(fmt::format("expected '{}' to be an integer from 1 to {}, found {}", field, most, value));
    return static_cast<std::int64_t>(std::min(value, most));
  }
  StrictObject& table() { return table_; }

 private:
  double figure(const char* field) {
    StrictObject figure = table_.object(field);
    const double value = figure.positive_number("value");
    gpu_.sources[prefix_ + field] = figure.text("source");
    figure.finish();
    return value;
  }

  StrictObject table_;
  std::string prefix_;
  Gpu& gpu_;
};

void read_sm(FigureReader sm, Gpu& gpu) {
  gpu.threads_per_sm = sm.count("threads", 1 << 20);
  gpu.blocks_per_sm = sm.count("blocks", 64);
  gpu.registers_per_sm = sm.count("registers", 1 << 30);
  gpu.shared_bytes_per_sm = sm.count("shared_bytes", 1 << 30);
  gpu.shared_bytes_per_block = sm.count("shared_bytes_per_block", 1 << 30);
  gpu.shared_bytes_reserved = sm.count("shared_bytes_reserved", 1 << 30);
  gpu.fma_per_clock = sm.number("fma_per_clock");
  gpu.exp_per_clock = sm.number("exp_per_clock");
  gpu.l2_bytes_per_clock = sm.number("l2_bytes_per_clock");
  sm.table().finish();
}

void read_memory(FigureReader memory, Gpu& gpu) {
  gpu.dram_gb_s = memory.number("dram_gb_s", 1);
  gpu.l2_bytes = memory.count("l2_bytes", 1e12);
  const double l2_gb_s = memory.number("l2_gb_s", 1), l2_latency_us = memory.number("l2_latency_us");
  gpu.memory = memory_model(gpu.dram_gb_s, l2_gb_s, l2_latency_us);
  memory.table().finish();
}

/// Every SM once, or a sentence.
void read_launch_order(StrictObject& launch, Gpu& gpu) {
  gpu.launch_order.resize(static_cast<std::size_t>(gpu.sms));
  std::iota(gpu.launch_order.begin(), gpu.launch_order.end(), 0);
  if (!launch.has("order")) {
    gpu.sources["launch.order"] = "assumed: as numbered";
    return;
  }
  gpu.sources["launch.order"] = launch.text("order_source");
  const std::vector<std::int64_t> order = launch.integers("order", 0, gpu.sms - 1);
  if (std::is_permutation(order.begin(), order.end(), gpu.launch_order.begin(), gpu.launch_order.end()))
    std::copy(order.begin(), order.end(), gpu.launch_order.begin());
  else launch.refuse(fmt::format("expected 'order' to hold each of {} SMs once", gpu.sms));
  if (!launch.has("gpc_sms")) return;
  gpu.gpc_sms = launch.integers("gpc_sms", 1, gpu.sms);
  const std::int64_t sum = std::accumulate(gpu.gpc_sms.begin(), gpu.gpc_sms.end(), std::int64_t{0});
  if (sum != gpu.sms)
    launch.refuse(fmt::format("expected 'gpc_sms' to add up to {} SMs, found {}", gpu.sms, sum));
}

void read_launch(FigureReader launch, Gpu& gpu) {
  gpu.launch_us = launch.number("kernel_us");
  gpu.block_launch_us = launch.number("block_ns") * 1e-3;
  read_launch_order(launch.table(), gpu);
  if (launch.table().has("roomy_sms")) gpu.roomy_sms = launch.count("roomy_sms", gpu.sms);
  launch.table().finish();
}

/// Which SMs the second half of L2 is near.
void read_halves(FigureReader halves, Gpu& gpu) {
  gpu.on_second_half.assign(static_cast<std::size_t>(gpu.sms), false);
  const std::vector<std::int64_t> second = halves.table().integers("second", 0, gpu.sms - 1);
  for (const std::int64_t sm : second) gpu.on_second_half[static_cast<std::size_t>(sm)] = true;
  const auto different = std::count(gpu.on_second_half.begin(), gpu.on_second_half.end(), true);
  if (different != std::ssize(second) || 2 * different != gpu.sms)
    halves.table().refuse(
        fmt::format("expected 'second' to hold half of {} SMs, each once, found {}, {} of them "
                    "different",
                    gpu.sms, second.size(), different));
  gpu.sources["halves.second"] = halves.table().text("second_source");
  gpu.crossing_us = halves.number("crossing_us");
  if (gpu.crossing_us >= gpu.memory.l2.latency_us)
    halves.table().refuse(fmt::format("expected 'crossing_us' to be below the latency of L2, {} us, found {}",
                                      gpu.memory.l2.latency_us, gpu.crossing_us));
  halves.table().finish();
}

}  // namespace

Result<Gpu> parse_gpu(std::string_view toml, const std::string& name) {
  const auto parsed = parse_toml(toml, name);
  if (!parsed) return parsed.fault();
  std::optional<Fault> fault;
  Gpu gpu;
  FigureReader top(StrictObject(*parsed, name, fault), "", gpu);
  gpu.name = top.table().text("name");
  if (printable(gpu.name, 80) != gpu.name)
    top.table().refuse(fmt::format("expected 'name' to be at most 80 printable characters, found '{}'",
                                   printable(gpu.name, 80)));
  gpu.sms = top.count("sms", kMostSms);
  gpu.clock_mhz = top.number("clock_mhz");
  gpu.tensor_tflops = top.number("tensor_tflops");
  read_sm({top.table().object("sm"), "sm.", gpu}, gpu);
  read_memory({top.table().object("memory"), "memory.", gpu}, gpu);
  read_launch({top.table().object("launch"), "launch.", gpu}, gpu);
  if (top.table().has("halves")) read_halves({top.table().object("halves"), "halves.", gpu}, gpu);
  top.table().finish();
  if (fault) return *fault;
  return gpu;
}

std::vector<std::string> builtin_gpu_names() {
  std::vector<std::string> names;
  for (const DataFile& file : sim_data())
    if (file.name.substr(0, kFolder.size()) == kFolder)
      names.emplace_back(
          file.name.substr(kFolder.size(), file.name.size() - kFolder.size() - kEnding.size()));
  return names;
}

Result<Gpu> find_gpu(const std::string& name) {
  if (name.size() > kEnding.size() && name.substr(name.size() - kEnding.size()) == kEnding) {
    const Result<MappedFile> file = map_file(name);
    if (!file) return file.fault();
    return parse_gpu({reinterpret_cast<const char*>(file->data.get()), file->size}, name);
  }
  const std::vector<std::string> names = builtin_gpu_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return Fault{fmt::format("expected a GPU ({}) or the path of a .toml file, found '{}'",
                             fmt::join(names, ", "), printable(name, 80))};
  return parse_gpu(sim_data_text(fmt::format("{}{}{}", kFolder, name, kEnding)), name);
}

Result<Gpu> find_gpu_of_device(const std::string& device) {
  for (const std::string& name : builtin_gpu_names())
    if (Result<Gpu> gpu = find_gpu(name); gpu && gpu->name == device) return gpu;
  return Fault{fmt::format("expected a device that is described, found '{}'; --gpu names its description",
                           printable(device, 80))};
}

}  // namespace fdlab

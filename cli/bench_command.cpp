// fdlab bench cpu|cuda: check first, then time, as a share of what the machine can read.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/exit_code.h"
#include "cli/shape_options.h"
#include "cpu/bench.h"

namespace fdlab::cli {
namespace {

struct BenchOptions {
  std::string isa;
  std::int64_t rounds = 15, rotate_mib = 1024, kv_len = 0;
  bool json = false;
};

std::string name_of(const BenchShape& s) {
  return fmt::format("{}/{} x {}", s.q_heads, s.kv_heads, s.kv_len);
}

std::string line_of(const BenchShape& s, const BenchResult& r) {
  const double gb_per_s = static_cast<double>(r.kv_bytes) / r.time_us / 1e3;
  return fmt::format("{:>14}  {:>5}  {:>6}  {:>9.1f}  {:>7.1f}  {:>7.2f}  {:>7}  {:>5.2f}\n", name_of(s),
                     fdlab::name_of(s.type), r.splits, r.time_us, gb_per_s, r.ratio,
                     r.eigen_ratio > 0 ? fmt::format("{:.2f}", r.eigen_ratio) : "-", r.thread_gain);
}

nlohmann::ordered_json json_of(const BenchShape& s, const BenchResult& r) {
  return {{"q_heads", s.q_heads},
          {"kv_heads", s.kv_heads},
          {"kv_len", s.kv_len},
          {"head_dim", s.head_dim},
          {"dtype", fdlab::name_of(s.type)},
          {"splits", r.splits},
          {"threads", r.threads},
          {"kv_bytes", r.kv_bytes},
          {"time_us", r.time_us},
          {"ceiling_us", r.ceiling_us},
          {"ratio", r.ratio},
          {"eigen_ratio", r.eigen_ratio},
          {"thread_gain", r.thread_gain}};
}

int bench(const BenchOptions& o) {
  if (available_isas().empty())
    return fail(kNotHere, "expected a processor with SSE4.2 for the bench, found one without");
  const Isa isa = o.isa.empty() ? available_isas().front() : *isa_from_name(o.isa);
  nlohmann::ordered_json all = {
      {"format", "fdlab-bench"}, {"version", 1}, {"backend", "cpu"}, {"isa", isa.name}};
  all["shapes"] = nlohmann::json::array();
  if (!o.json)
    fmt::print(
        "{}; ratio: share of the best read pattern, paired; gain: ceiling of all threads over one\n\n"
        "{:>14}  {:>5}  {:>6}  {:>9}  {:>7}  {:>7}  {:>7}  {:>5}\n",
        isa.name, "heads x keys", "type", "splits", "time us", "GB/s", "ratio", "Eigen", "gain");
  for (BenchShape shape : bench_shapes()) {
    if (o.kv_len > 0) shape.kv_len = o.kv_len;
    const BenchResult result = bench_cpu(shape, isa, static_cast<int>(o.rounds), o.rotate_mib << 20);
    if (result.outcome != Outcome::passed)
      return fail(kDiffers, fmt::format("{} in {} differs from the oracle: not timed", name_of(shape),
                                        fdlab::name_of(shape.type)));
    all["shapes"].push_back(json_of(shape, result));
    if (!o.json) fmt::print("{}", line_of(shape, result));
    std::fflush(stdout);
  }
  if (o.json) fmt::print("{}\n", all.dump(2));
  return kDone;
}

int bench_cuda(BenchCudaOptions o) {
  if (o.shape)
    if (const auto fault = complete_shape(*o.shape)) return fail(kBadInput, fault->sentence);
  if (const CudaState cuda = cuda_state(); !cuda.available)
    return fail(kNotHere, "expected a CUDA device for bench cuda, found " + cuda.text);
  return bench_on_cuda(o);
}

void add_bench_cpu(CLI::App& bench_command, int& exit_code) {
  CLI::App* cpu = bench_command.add_subcommand("cpu", "the fast executor on this machine's threads");
  const auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> isas;
  for (const Isa& isa : available_isas()) isas.push_back(isa.name);
  cpu->add_option("--isa", options->isa, "instruction set (default: the best)")->check(one_of(isas));
  cpu->add_option("--rounds", options->rounds, "samples per shape")->check(whole_number(1, 10000));
  cpu->add_option("--rotate-mib", options->rotate_mib, "copies of K and V that take turns")
      ->check(whole_number(1, 1 << 20));
  cpu->add_option("--kv-len", options->kv_len, "keys, instead of each shape's own")
      ->check(whole_number(1, 1 << 24));
  cpu->add_flag("--json", options->json, "print one JSON object instead of a table");
  cpu->callback([options, &exit_code] { exit_code = bench(*options); });
}

void add_bench_cuda(CLI::App& bench_command, int& exit_code) {
  CLI::App* cuda = bench_command.add_subcommand(
      "cuda",
      "a kernel on the GPU, beside the read ceiling and PyTorch's kernels; without a shape: all of a list");
  const auto options = std::make_shared<BenchCudaOptions>();
  const auto shape = std::make_shared<DecodeShape>(DecodeShape{1, 32, 8, 1, 4096, 128, 128, DType::bf16, {}});
  const auto count = [&](const char* name, std::int32_t& to, std::int64_t most, const char* help) {
    cuda->add_option(name, to, help)->check(whole_number(1, most))->type_name("N");
  };
  add_shape_options(*cuda, *shape);
  cuda->add_option("--kernel", options->launch.kernel,
                   "kernel of the ladder (default: the production kernel)")
      ->type_name("NAME");
  count("--splits", options->launch.num_splits, std::numeric_limits<std::int32_t>::max(),
        "splits (default: chosen)");
  count("--warps", options->warps, 8, "warps of a block (default: chosen)");
  count("--stages", options->stages, 8, "tiles in flight per warp (default: chosen)");
  cuda->add_option("--merge", options->merge, "how the splits become one (default: chosen)")
      ->check(one_of({"none", "cluster", "last-arriver"}))
      ->type_name("none|cluster|last-arriver");
  cuda->add_flag("--kv-ready", options->kv_is_ready, "promise that the kernel before writes neither K nor V");
  cuda->add_flag("!--no-peers", options->peers, "do not time PyTorch's kernels");
  cuda->add_flag("--json", options->json, "print one JSON object instead of a table");
  cuda->callback([cuda, options, shape, &exit_code] {
    if (gives_shape(*cuda)) options->shape = *shape;
    exit_code = bench_cuda(*options);
  });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("bench", "check, then time, against what the machine can read");
  command->require_subcommand(1);
  add_bench_cpu(*command, exit_code);
  add_bench_cuda(*command, exit_code);
}

}  // namespace fdlab::cli

// fdlab bench cpu|cuda: check first, then time, as a share of what the machine can read.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/exit_code.h"
#include "cli/shape_options.h"
#include "cli/verdict_json.h"
#include "cpu/bench.h"
#include "cpu/bench_peers.h"
#include "cpu/host.h"

namespace fdlab::cli {
namespace {

struct Options {
  std::string isa;
  BenchOptions bench;
  std::int64_t kv_len = 0;  ///< 0: each shape's own
  bool quick = false, json = false;
};

std::vector<BenchShape> shapes_of(const Options& o) {
  std::vector<BenchShape> shapes = o.quick ? quick_bench_shapes() : bench_shapes();
  if (o.kv_len > 0)
    for (BenchShape& shape : shapes) shape.kv_len = o.kv_len;
  return shapes;
}

std::string name_of(const BenchShape& s) {
  return fmt::format("{}/{} x {}", s.q_heads, s.kv_heads, s.kv_len);
}

/// The best ratio of a library's ways; a dash where none was timed.
std::string best_ratio(const BenchResult& r, std::string_view library) {
  double best = 0;
  for (const BenchPeerResult& peer : r.peers)
    if (peer.name.starts_with(library)) best = std::max(best, peer.ratio);
  return best > 0 ? fmt::format("{:.2f}", best) : "-";
}

void print_head(const Isa& isa, double thread_gain) {
  const int threads = num_threads();
  const std::string too_low =
      fmt::format("below {}: busy elsewhere, nothing may be claimed", kClaimableThreadGain);
  if (threads > 1)
    fmt::print("{} threads read {:.2f} times as fast as one, {}\n", threads, thread_gain,
               is_claimable(threads, thread_gain) ? "enough to claim ratios" : too_low);
  fmt::print("{}, beside {}\n", isa.name, bench_peers_note());
  fmt::print(
      "ratio: share of the best read pattern, paired; gain: of all threads over one, * too low to claim\n\n");
  fmt::print("{:>14}  {:>5}  {:>6}  {:>9}  {:>6}  {:>5}  {:>5}  {:>8}  {:>5}\n", "heads x keys", "type",
             "splits", "time us", "GB/s", "ratio", "Eigen", "OpenBLAS", "gain");
}

void print_line(const BenchShape& s, const BenchResult& r) {
  fmt::print("{:>14}  {:>5}  {:>6}  {:>9.1f}  {:>6.1f}  {:>5.2f}  {:>5}  {:>8}  {:>5.2f}{}\n", name_of(s),
             fdlab::name_of(s.type), r.splits, r.time_us, static_cast<double>(s.kv_bytes()) / r.time_us / 1e3,
             r.ratio, best_ratio(r, "eigen"), best_ratio(r, "openblas"), r.thread_gain,
             is_claimable(r.threads, r.thread_gain) ? "" : "*");
}

Json json_of(const BenchShape& s, const BenchResult& r) {
  Json peers = Json::array();
  for (const BenchPeerResult& peer : r.peers)
    peers.push_back({{"peer", peer.name}, {"time_us", peer.time_us}, {"ratio", peer.ratio}});
  return {{"q_heads", s.q_heads},
          {"kv_heads", s.kv_heads},
          {"kv_len", s.kv_len},
          {"head_dim", s.head_dim},
          {"dtype", fdlab::name_of(s.type)},
          {"splits", r.splits},
          {"threads", r.threads},
          {"kv_bytes", s.kv_bytes()},
          {"time_us", r.time_us},
          {"ceiling_us", r.ceiling_us},
          {"ratio", r.ratio},
          {"thread_gain", r.thread_gain},
          {"claimable", is_claimable(r.threads, r.thread_gain)},
          {"peers", peers}};
}

/// Every line is printed when it is known: a person watches, and may leave.
int bench(const Options& o) {
  if (available_isas().empty())
    return fail(kNotHere, "expected a processor with SSE4.2 for the bench, found one without");
  const Isa isa = o.isa.empty() ? available_isas().front() : *isa_from_name(o.isa);
  const std::vector<BenchShape> shapes = shapes_of(o);
  Json all = {{"format", "fdlab-bench"}, {"version", 2}, {"backend", "cpu"}, {"isa", isa.name}};
  all["peers_note"] = bench_peers_note();
  all["shapes"] = Json::array();
  if (!o.json) {
    fmt::print("{} shapes, each checked, then timed: about {:.0f} s on two idle cores\n", shapes.size(),
               estimate_bench_s(shapes, o.bench));
    std::fflush(stdout);
    print_head(isa, measure_thread_gain(isa));
    std::fflush(stdout);
  }
  for (const BenchShape& shape : shapes) {
    const BenchResult result = bench_cpu(shape, isa, o.bench);
    if (result.outcome != Outcome::passed)
      return fail(kDiffers, fmt::format("{} in {}: {} differs from the oracle, so nothing was timed",
                                        name_of(shape), fdlab::name_of(shape.type), result.differing));
    all["shapes"].push_back(json_of(shape, result));
    if (!o.json) print_line(shape, result);
    std::fflush(stdout);
  }
  if (o.json) fmt::print("{}", text_of(all));
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
  const auto options = std::make_shared<Options>();
  std::vector<std::string> isas;
  for (const Isa& isa : available_isas()) isas.push_back(isa.name);
  cpu->add_flag("--quick", options->quick, "a short shape of each kind, seven samples, 256 MiB");
  cpu->add_option("--isa", options->isa, "instruction set (default: the best)")->check(one_of(isas));
  CLI::Option* rounds = cpu->add_option("--rounds", options->bench.rounds, "samples per shape (default 15)")
                            ->check(whole_number(1, 10000));
  CLI::Option* rotate =
      cpu->add_option_function<std::int64_t>(
             "--rotate-mib", [options](std::int64_t mib) { options->bench.rotated_bytes = mib << 20; },
             "copies of K and V that take turns (default 1024)")
          ->check(whole_number(1, 1 << 20));
  cpu->add_option("--kv-len", options->kv_len, "keys, instead of each shape's own")
      ->check(whole_number(1, 1 << 24));
  cpu->add_flag("--json", options->json, "print one JSON object instead of a table");
  cpu->callback([options, rounds, rotate, &exit_code] {
    if (options->quick && rounds->empty()) options->bench.rounds = 7;
    if (options->quick && rotate->empty()) options->bench.rotated_bytes = std::int64_t{1} << 28;
    exit_code = bench(*options);
  });
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
  count("--page-size", options->page_size, 1 << 16, "tokens of a page (default: a cache in one piece)");
  cuda->add_option("--kernel", options->launch.kernel,
                   "kernel of the ladder (default: the production kernel)")
      ->type_name("NAME")
      ->check(kernel_name());
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
    if (gives_shape(*cuda) || options->page_size > 0) options->shape = *shape;
    exit_code = bench_cuda(*options);
  });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("bench", "check, then time, against what the machine can read");
  add_bench_cpu(*command, exit_code);
  add_bench_cuda(*command, exit_code);
  need_subcommand(*command);
}

}  // namespace fdlab::cli

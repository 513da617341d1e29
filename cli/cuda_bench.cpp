#include "cuda/bench.h"

#include <fmt/chrono.h>

#include <algorithm>

#include "cli/cuda.h"
#include "cli/cuda_kernel.h"
#include "cli/cuda_peers.h"
#include "cli/exit_code.h"
#include "cli/verdict_json.h"

namespace fdlab::cli {
namespace {

/// One shape: the row, or why it was left out, and the peers beside it.
struct BenchedShape {
  CudaBenchCase problem;
  std::optional<CudaBenchRow> row;
  std::string refusal;
  std::vector<PeerTime> peers;
};

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string name_of(const CudaBenchCase& c) {
  const DecodeShape& s = c.shape;
  std::string name = fmt::format("({}, {}, {}, {})", s.batch, s.q_heads, s.kv_heads, s.kv_len);
  if (s.q_len != 1) name += fmt::format(" q{}", s.q_len);
  if (s.head_dim != 128) name += fmt::format(" d{}", s.head_dim);
  if (s.kv_dtype != DType::bf16) name += fmt::format(" {}", fdlab::name_of(s.kv_dtype));
  if (!s.kv_lens.empty()) name += " ragged";
  if (c.page_size > 0) name += fmt::format(" pages of {}", c.page_size);
  return name;
}

constexpr const char* kColumns = "{:<30} {:>7} {:>9} {:>9} {:>9} {:>6} {:>6}  {}\n";

std::string head_line() {
  return fmt::format(kColumns, "batch, heads, KV, keys", "MB", "us", "after us", "read us", "share", "TB/s",
                     "splits, merge");
}

std::string line_of(const BenchedShape& b, const Rung* rung) {
  if (!b.row) return fmt::format("{:<30} left out: {}\n", name_of(b.problem), b.refusal);
  const CudaBenchRow& r = *b.row;
  const double megabytes = static_cast<double>(b.problem.shape.kv_bytes()) / 1e6;
  return fmt::format(kColumns, name_of(b.problem), fmt::format("{:.1f}", megabytes),
                     fmt::format("{:.2f}", r.times.back_to_back_us),
                     fmt::format("{:.2f}", r.times.after_ordinary_us),
                     fmt::format("{:.2f}", r.ceiling.time_us),
                     fmt::format("{:.0f}%", 100 * r.ceiling.time_us / r.times.back_to_back_us),
                     fmt::format("{:.2f}", megabytes / r.times.back_to_back_us),
                     fmt::format("{}, {}", splits_of(r.plan, rung), merge_name(r.plan, rung)));
}

/// "cudnn 8.03 us, 1.48 times ours"
std::string peers_line_of(const BenchedShape& b) {
  if (b.peers.empty()) return "";
  std::string text;
  for (const PeerTime& peer : b.peers)
    text += fmt::format("{}{} {:.2f} us, {:.2f} times ours", text.empty() ? "" : "; ", peer.peer,
                        peer.time_us, peer.time_us / b.row->times.back_to_back_us);
  return fmt::format("{:<30} {}\n", name_of(b.problem), text);
}

Json json_of_peers(const BenchedShape& b) {
  Json peers = Json::array();
  for (const PeerTime& peer : b.peers)
    peers.push_back({{"peer", peer.peer},
                     {"time_us", peer.time_us},
                     {"after_ordinary_us", peer.after_ordinary_us},
                     {"ratio", peer.time_us / b.row->times.back_to_back_us}});
  return peers;
}

Json json_of_shape(const BenchedShape& b, const Rung* rung) {
  const DecodeShape& s = b.problem.shape;
  const CudaBenchRow& r = *b.row;
  return {{"batch", s.batch},
          {"q_heads", s.q_heads},
          {"kv_heads", s.kv_heads},
          {"q_len", s.q_len},
          {"kv_len", s.kv_len},
          {"kv_lens", s.kv_lens},
          {"page_size", b.problem.page_size},
          {"head_dim", s.head_dim},
          {"dtype", fdlab::name_of(s.kv_dtype)},
          {"instance", r.plan.kernel},
          {"splits", splits_of(r.plan, rung)},
          {"merge", merge_name(r.plan, rung)},
          {"warps", r.plan.warps},
          {"stages", r.plan.stages},
          {"kv_is_ready", r.plan.kv_is_ready},
          {"kv_bytes", s.kv_bytes()},
          {"relative_error", r.relative_error},
          {"lse_error", r.lse_error},
          {"time_us", r.times.back_to_back_us},
          {"after_ordinary_us", r.times.after_ordinary_us},
          {"ceiling_us", r.ceiling.time_us},
          {"ceiling_pattern", r.ceiling.pattern},
          {"ratio", r.ceiling.time_us / r.times.back_to_back_us},
          {"peers", json_of_peers(b)}};
}

PlanOptions plan_options_of(const BenchCudaOptions& o) {
  PlanOptions options{.num_splits = o.launch.num_splits};
  options.warps = o.warps, options.stages = o.stages, options.kv_is_ready = o.kv_is_ready;
  if (o.merge.empty()) return options;
  for (const SplitMerge merge : {SplitMerge::none, SplitMerge::cluster, SplitMerge::last_arriver})
    if (o.merge == fdlab::name_of(merge)) options.merge = merge;
  return options;
}

/// Checks and times every shape, a line each as it is done. The exit code; a single shape that is refused ends the bench.
int run_shapes(const BenchCudaOptions& o, const Rung* rung, CudaBench& bench,
               std::vector<BenchedShape>& all) {
  for (BenchedShape& b : all) {
    const Result<CudaBenchRow> row = bench.run({b.problem, plan_options_of(o), rung});
    if (!row && o.shape) return fail(kBadInput, row.fault().sentence);
    if (row && !row->right)
      return fail(kDiffers,
                  fmt::format("{} differs from float64 attention (o by {:.1e}, lse by {:.1e}): not timed",
                              name_of(b.problem), row->relative_error, row->lse_error));
    if (row) b.row = *row;
    else b.refusal = row.fault().sentence;
    if (o.json) continue;
    if (&b == &all.front()) fmt::print("{}", head_line());
    fmt::print("{}", line_of(b, rung));
    std::fflush(stdout);
  }
  return kDone;
}

/// Times the peers on the shapes that were timed; their versions, or why there are none.
std::string add_peers(const BenchCudaOptions& o, std::vector<BenchedShape>& all) {
  if (!o.peers) return "no peers: not asked for";
  std::vector<DecodeShape> shapes;
  std::vector<BenchedShape*> benched;
  for (BenchedShape& b : all) {
    if (!b.row || b.problem.page_size > 0 || !b.problem.shape.kv_lens.empty()) continue;
    shapes.push_back(b.problem.shape);
    benched.push_back(&b);
  }
  const Peers peers = time_peers(shapes);
  for (const PeerTime& peer : peers.times) benched[peer.shape]->peers.push_back(peer);
  return peers.note;
}

}  // namespace

int bench_on_cuda(const BenchCudaOptions& o) {
  const Result<const Rung*> rung = find_rung(o.launch.kernel);
  if (!rung) return fail(kBadInput, rung.fault().sentence);
  std::vector<BenchedShape> all;
  for (const CudaBenchCase& problem :
       o.shape ? std::vector<CudaBenchCase>{{*o.shape, o.page_size}} : cuda_bench_cases())
    all.push_back({problem, {}, "", {}});
  const DeviceInfo device = find_device();
  CudaBench bench(device);
  if (const int code = run_shapes(o, *rung, bench, all); code != kDone) return code;
  const std::string note = add_peers(o, all);

  const std::string kernel = *rung ? (*rung)->name : "production";
  if (!o.json) {
    fmt::print("\n{}\n", note);
    for (const BenchedShape& b : all) fmt::print("{}", peers_line_of(b));
    fmt::print(
        "\n{}, driver {}, {} · kernel {}{} · cold L2, CUDA graph replay, medians; read: the same bytes, only "
        "read\n",
        device.name, device.driver, today(), kernel, o.kv_is_ready ? ", K and V promised ready" : "");
    return kDone;
  }
  Json json = {{"format", "fdlab-bench-cuda"}, {"version", 2},           {"device", device.name},
               {"driver", device.driver},      {"date", today()},        {"kernel", kernel},
               {"peers_note", note},           {"shapes", Json::array()}};
  for (const BenchedShape& b : all)
    if (b.row) json["shapes"].push_back(json_of_shape(b, *rung));
  fmt::print("{}", text_of(json));
  return kDone;
}

}  // namespace fdlab::cli

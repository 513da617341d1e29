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
  DecodeShape shape;
  std::optional<CudaBenchRow> row;
  std::string refusal;
  std::vector<PeerTime> peers;
};

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string name_of(const DecodeShape& s) {
  std::string name = fmt::format("({}, {}, {}, {})", s.batch, s.q_heads, s.kv_heads, s.kv_len);
  if (s.q_len != 1) name += fmt::format(" q{}", s.q_len);
  if (s.head_dim != 128) name += fmt::format(" d{}", s.head_dim);
  if (s.kv_dtype != DType::bf16) name += fmt::format(" {}", fdlab::name_of(s.kv_dtype));
  return name;
}

constexpr const char* kColumns = "{:<26} {:>7} {:>9} {:>9} {:>9} {:>6} {:>6} {:>22}  {}\n";

std::string head_line() {
  return fmt::format(kColumns, "batch, heads, KV, keys", "MB", "us", "after us", "read us", "share", "TB/s",
                     "splits, merge", "peers: us (their time / ours)");
}

std::string peers_text(const BenchedShape& b) {
  std::string text;
  for (const PeerTime& peer : b.peers)
    text += fmt::format("{}{} {:.2f} ({:.2f})", text.empty() ? "" : ", ", peer.peer, peer.time_us,
                        peer.time_us / b.row->times.back_to_back_us);
  return text;
}

std::string line_of(const BenchedShape& b) {
  if (!b.row) return fmt::format("{:<26} left out: {}\n", name_of(b.shape), b.refusal);
  const CudaBenchRow& r = *b.row;
  const double megabytes = static_cast<double>(b.shape.kv_bytes()) / 1e6;
  return fmt::format(
      kColumns, name_of(b.shape), fmt::format("{:.1f}", megabytes),
      fmt::format("{:.2f}", r.times.back_to_back_us), fmt::format("{:.2f}", r.times.after_ordinary_us),
      fmt::format("{:.2f}", r.ceiling.time_us),
      fmt::format("{:.0f}%", 100 * r.ceiling.time_us / r.times.back_to_back_us),
      fmt::format("{:.2f}", megabytes / r.times.back_to_back_us),
      fmt::format("{}, {}", r.plan.rule.num_splits, fdlab::name_of(r.plan.merge)), peers_text(b));
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

Json json_of_shape(const BenchedShape& b) {
  const DecodeShape& s = b.shape;
  const CudaBenchRow& r = *b.row;
  return {{"batch", s.batch},
          {"q_heads", s.q_heads},
          {"kv_heads", s.kv_heads},
          {"q_len", s.q_len},
          {"kv_len", s.kv_len},
          {"head_dim", s.head_dim},
          {"dtype", fdlab::name_of(s.kv_dtype)},
          {"instance", r.plan.kernel},
          {"splits", r.plan.rule.num_splits},
          {"merge", fdlab::name_of(r.plan.merge)},
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

}  // namespace

int bench_on_cuda(const BenchCudaOptions& o) {
  const Result<const Rung*> rung = find_rung(o.launch.kernel);
  if (!rung) return fail(kBadInput, rung.fault().sentence);
  const PlanOptions plan = plan_options_of(o);
  const std::vector<DecodeShape> shapes = o.shape ? std::vector{*o.shape} : cuda_bench_shapes();
  const DeviceInfo device = find_device();
  const Peers peers = o.peers ? time_peers(shapes) : Peers{{}, "no peers: not asked for"};
  const std::string kernel = *rung ? (*rung)->name : "production";
  if (!o.json)
    fmt::print(
        "{}, driver {}, {} · kernel {}{} · {}\ncold L2, CUDA graph replay, medians; read: the same bytes, "
        "only read\n\n{}",
        device.name, device.driver, today(), kernel, o.kv_is_ready ? ", K and V promised ready" : "",
        peers.note, head_line());

  Json all = {{"format", "fdlab-bench-cuda"}, {"version", 1},           {"device", device.name},
              {"driver", device.driver},      {"date", today()},        {"kernel", kernel},
              {"peers_note", peers.note},     {"shapes", Json::array()}};
  CudaBench bench(device);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    BenchedShape benched{shapes[i], {}, "", {}};
    Result<CudaBenchRow> row = bench.run({shapes[i], plan, *rung});
    if (row && !row->right)
      return fail(kDiffers,
                  fmt::format("{} differs from float64 attention (o by {:.1e}, lse by {:.1e}): not timed",
                              name_of(shapes[i]), row->relative_error, row->lse_error));
    if (row) benched.row = *row;
    else if (o.shape) return fail(kBadInput, row.fault().sentence);
    else benched.refusal = row.fault().sentence;
    for (const PeerTime& peer : peers.times)
      if (peer.shape == i) benched.peers.push_back(peer);
    if (benched.row) all["shapes"].push_back(json_of_shape(benched));
    if (!o.json) fmt::print("{}", line_of(benched));
    std::fflush(stdout);
  }
  if (o.json) fmt::print("{}", text_of(all));
  return kDone;
}

}  // namespace fdlab::cli

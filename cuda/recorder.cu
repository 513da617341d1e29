#include "cuda/recorder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

#include "cuda/block_fold.h"
#include "cuda/decode.h"
#include "cuda/recorded_launches.h"

namespace fdlab {
namespace {

constexpr int kTimedRuns = 11, kRecordedRuns = 9;
constexpr std::int64_t kPastCache = std::int64_t{512}
                                    << 20;  ///< K and V that runs rotate through, several times the L2
constexpr std::int64_t kMostSets = 4096;    // of tiny problems

/// Numbers from −1 to 1 that differ everywhere.
__global__ void fill_kernel(__nv_bfloat16* to, std::int64_t count) {
  const std::int64_t step = std::int64_t{1} * gridDim.x * blockDim.x;
  for (std::int64_t i = std::int64_t{1} * blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    to[i] = __float2bfloat16_rn(static_cast<float>(h ^ (h >> 13)) * 0x1p-31f - 1.0f);
  }
}

/// Device memory of several equal problems side by side.
struct Inputs {
  DeviceBuffer kv, q, o, lse, lens;
  std::vector<DeviceProblem> sets;
};

Inputs make_inputs(const DecodeShape& s) {
  DeviceProblem p;
  p.batch = static_cast<std::int32_t>(s.batch), p.q_heads = static_cast<std::int32_t>(s.q_heads);
  p.kv_heads = static_cast<std::int32_t>(s.kv_heads), p.q_len = static_cast<std::int32_t>(s.q_len);
  p.kv_len = static_cast<std::int32_t>(s.kv_len), p.head_dim = p.v_head_dim = 128;
  p.scale = 1 / std::sqrt(128.0f);
  p.o_type = DType::bf16;
  const std::int64_t half = s.batch * s.kv_heads * s.kv_len * 128, row_floats = p.num_rows() * 128;
  const std::int64_t bytes = std::max<std::int64_t>(1, 4 * half);
  const std::int64_t sets = std::clamp<std::int64_t>((kPastCache + bytes - 1) / bytes, 1, kMostSets);
  Inputs in{DeviceBuffer(static_cast<std::size_t>(sets * half * 4)),
            DeviceBuffer(static_cast<std::size_t>(row_floats * 2)),
            DeviceBuffer(static_cast<std::size_t>(row_floats * 2)),
            DeviceBuffer(static_cast<std::size_t>(p.num_rows() * 4)),
            {},
            {}};
  fill_kernel<<<1024, 256>>>(in.kv.as<__nv_bfloat16>(), sets * half * 2);
  fill_kernel<<<64, 256>>>(in.q.as<__nv_bfloat16>(), row_floats);
  FD_CUDA(cudaGetLastError());
  if (!s.kv_lens.empty()) {
    const std::vector<std::int32_t> lens(s.kv_lens.begin(), s.kv_lens.end());
    in.lens = DeviceBuffer(lens.size() * 4);
    FD_CUDA(cudaMemcpy(in.lens.data(), lens.data(), lens.size() * 4, cudaMemcpyHostToDevice));
    p.kv_lens = in.lens.as<std::int32_t>();
  }
  p.o = in.o.data(), p.lse_ln = in.lse.as<float>();
  p.q = {in.q.data(), DType::bf16, s.q_heads * s.q_len * 128, s.q_len * 128, 128};
  for (std::int64_t set = 0; set < sets; ++set) {
    p.k = {in.kv.as<__nv_bfloat16>() + set * half * 2, DType::bf16, s.kv_heads * s.kv_len * 128,
           s.kv_len * 128, 128};
    p.v = p.k;
    p.v.data = in.kv.as<__nv_bfloat16>() + set * half * 2 + half;
    in.sets.push_back(p);
  }
  return in;
}

/// Median over runs of the mean time of a call, call after call.
double median_call_us(const Inputs& in, const std::function<void(const DeviceProblem&)>& call) {
  cudaEvent_t start, stop;
  FD_CUDA(cudaEventCreate(&start));
  FD_CUDA(cudaEventCreate(&stop));
  const int calls = std::max<int>(8, static_cast<int>(in.sets.size()));
  std::vector<double> runs;
  for (int run = 0; run <= kTimedRuns; ++run) {
    FD_CUDA(cudaEventRecord(start));
    for (int i = 0; i < calls; ++i) call(in.sets[static_cast<std::size_t>(i) % in.sets.size()]);
    FD_CUDA(cudaEventRecord(stop));
    FD_CUDA(cudaEventSynchronize(stop));
    float ms = 0;
    FD_CUDA(cudaEventElapsedTime(&ms, start, stop));
    if (run > 0) runs.push_back(ms * 1000.0 / calls);  // the first warms up
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::nth_element(runs.begin(), runs.begin() + kTimedRuns / 2, runs.end());
  return runs[kTimedRuns / 2];
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// Smallest step between start times, the tick of %globaltimer.
std::int64_t smallest_step(std::vector<std::uint64_t> times) {
  std::sort(times.begin(), times.end());
  std::uint64_t step = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] > times[i - 1]) step = std::min(step, times[i] - times[i - 1]);
  return step == std::numeric_limits<std::uint64_t>::max() ? 32 : static_cast<std::int64_t>(step);
}

std::uint64_t span_ns(const std::vector<BlockRecord>& records) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
  for (const BlockRecord& r : records) first = std::min(first, r.start_ns), last = std::max(last, r.end_ns);
  return last - first;
}

/// Starts come from %globaltimer; durations from clock64, which ticks finer, at the rate seen over all blocks.
void fill_blocks(const std::vector<BlockRecord>& records, int splits, int heads, int key_bytes,
                 Recording& to) {
  double clocks = 0, ns = 0;
  std::vector<std::uint64_t> starts;
  for (const BlockRecord& r : records) {
    clocks += static_cast<double>(r.end_clock - r.start_clock);
    ns += static_cast<double>(r.end_ns - r.start_ns);
    starts.push_back(r.start_ns);
  }
  to.clock_source = "globaltimer+clock64";
  to.clock_resolution_ns = smallest_step(starts);
  const std::uint64_t first = *std::min_element(starts.begin(), starts.end());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const BlockRecord& r = records[i];
    const int unit = static_cast<int>(i) / splits;
    RecordedBlock block;
    block.sequence = unit / heads, block.head = unit % heads, block.split = static_cast<int>(i) % splits;
    block.sm = r.sm;
    block.start_ns = static_cast<std::int64_t>(r.start_ns - first);
    block.end_ns =
        block.start_ns + std::llround(static_cast<double>(r.end_clock - r.start_clock) * ns / clocks);
    block.bytes = std::int64_t{1} * r.keys * key_bytes;
    to.blocks.push_back(block);
  }
}

}  // namespace

Result<Recording> record_on_device(const RecordRequest& request, const DeviceInfo& device) {
  const DecodeShape& s = request.shape;
  if (auto fault = find_fault(s)) return Fault{*fault};
  const Rung& rung = request.rung ? *request.rung : ladder().back();
  if (rung.number != 1 && rung.number != 7)
    return Fault{
        std::string("expected the kernel one-block or one-kernel, which are built with a recorder, found ") +
        rung.name};
  if (s.kv_dtype != DType::bf16 || s.head_dim != 128 || s.v_head_dim != 128 || s.group() * s.q_len > 8)
    return Fault{
        "expected a bf16 cache of head_dim 128 and at most 8 query rows per KV head to record, found " +
        std::string(name_of(s.kv_dtype)) + " of head_dim " + std::to_string(s.head_dim) + " and " +
        std::to_string(s.group() * s.q_len) + " rows"};
  if (s.kv_bytes() == 0) return Fault{"expected at least one key to record, found none"};

  const Inputs in = make_inputs(s);
  const DeviceProblem& p = in.sets.front();
  const PlanResult planned = make_plan(p, device.limits, {.num_splits = request.num_splits});
  if (!planned.plan) return Fault{planned.fault};
  const CudaPlan& plan = *planned.plan;
  const Workspace workspace = upload_plan(plan);
  const bool whole = rung.number == 1;
  const int splits = whole ? 1 : plan.rule.num_splits, heads = whole ? p.q_heads : p.kv_heads;

  Recording r;
  r.kernel = rung.name;
  r.device = device.name, r.driver = device.driver, r.date = today();
  r.sm_count = device.limits.num_sms;
  r.problem = s;
  r.tile_size = whole ? kBlock : kTileKeys, r.num_splits = splits;
  r.launch = whole ? one_block_launch() : decode_launch(plan);

  const LaunchDecode plain = whole ? launch_one_block : launch_decode;
  r.time_us = median_call_us(in, [&](const DeviceProblem& set) { plain(set, plan, workspace, nullptr); });
  r.time_runs = kTimedRuns;

  // The run of median span is kept. Before each the other sets pass through the L2.
  std::vector<std::vector<BlockRecord>> runs(
      kRecordedRuns,
      std::vector<BlockRecord>(static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(heads * splits)));
  const DeviceBuffer device_records(runs[0].size() * sizeof(BlockRecord));
  for (std::vector<BlockRecord>& records : runs) {
    for (std::size_t set = 1; set < std::max<std::size_t>(2, in.sets.size()); ++set)
      plain(in.sets[set % in.sets.size()], plan, workspace, nullptr);
    FD_CUDA(cudaDeviceSynchronize());
    const RecordBlocks recorder(device_records.as<BlockRecord>());
    if (whole) launch_one_block_recorded(p, recorder, nullptr);
    else launch_decode_recorded(p, plan, workspace, recorder, nullptr);
    FD_CUDA(cudaMemcpy(records.data(), device_records.data(), device_records.size(), cudaMemcpyDeviceToHost));
  }
  const auto median = runs.begin() + kRecordedRuns / 2;
  std::nth_element(runs.begin(), median, runs.end(),
                   [](const auto& a, const auto& b) { return span_ns(a) < span_ns(b); });
  fill_blocks(*median, splits, heads, 2 * 128 * 2, r);
  return r;
}

}  // namespace fdlab

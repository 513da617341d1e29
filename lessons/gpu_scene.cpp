#include "lessons/gpu_scene.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/sim/simulate.h"

namespace fdlab {
namespace {

// Lengths of eight sequences as they were recorded (lessons/recordings/one-kernel_ragged-8.json), in 16,384ths of the longest.
constexpr std::array<std::int64_t, 8> kRaggedLengths{16384, 8000, 4097, 1, 2048, 12000, 600, 16000};

constexpr std::int64_t kMostSweepBlocks = 60000;  // simulated for one curve: some 30 ms
constexpr std::int64_t kWidestSweep = 68;
constexpr const char* kFitsEverywhere = "split";  // fits the smallest SM there is a description of

Result<GpuGrid> make_grid(const GpuScene& scene, const DecodeShape& shape, std::int64_t splits,
                          const std::vector<Recording>& recordings) {
  auto schedule = simulate_step(scene.gpu, scene.kernel, shape, {splits, false});
  if (!schedule) return schedule.fault();
  GpuGrid grid{std::move(*schedule), find_measured(recordings, scene.gpu, scene.kernel, shape, splits), {}};
  grid.turning_points = turning_points(grid.schedule);
  return grid;
}

/// Split counts 1, 2, 3 … until there are enough blocks for a curve.
std::vector<SweepPoint> sweep_of(const GpuScene& scene, const DecodeShape& shape,
                                 const std::vector<Recording>& recordings) {
  std::vector<SweepPoint> sweep;
  std::int64_t blocks = 0;
  const std::int64_t most = std::min({kWidestSweep, scene.question.blocks, kMostShownSplits});
  for (std::int64_t splits = 1; splits <= most; ++splits) {
    blocks += scene.question.heads * splits;
    if (blocks > kMostSweepBlocks) break;
    const auto schedule = simulate_step(scene.gpu, scene.kernel, shape, {splits, false});
    if (!schedule) break;
    const auto measured = find_measured(recordings, scene.gpu, scene.kernel, shape, splits);
    sweep.push_back({split_candidate(scene.question, splits), schedule->time_us,
                     measured ? std::optional(measured->time_us) : std::nullopt});
  }
  return sweep;
}

}  // namespace

GpuSceneSpec clamped(GpuSceneSpec spec) {
  spec.batch = std::clamp<std::int64_t>(spec.batch, 1, kMostBatch);
  spec.kv_heads = std::clamp<std::int64_t>(spec.kv_heads, 1, kMostKvHeads);
  spec.group = std::clamp<std::int64_t>(spec.group, 1, kMostGroup);
  spec.kv_len = std::clamp(spec.kv_len, kLeastKvLen, kMostKvLen);
  const std::int64_t most =
      std::min(kMostShownSplits, std::max<std::int64_t>(1, kMostShownBlocks / (spec.batch * spec.kv_heads)));
  if (spec.splits) spec.splits = std::clamp<std::int64_t>(*spec.splits, 1, most);
  spec.a_splits = std::clamp<std::int64_t>(spec.a_splits, 1, most);
  if (spec.a_batch) spec.a_batch = std::clamp<std::int64_t>(*spec.a_batch, 1, kMostBatch);
  return spec;
}

DecodeShape shape_of(const GpuSceneSpec& spec) {
  DecodeShape shape;
  shape.batch = spec.batch;
  shape.kv_heads = spec.kv_heads;
  shape.q_heads = spec.kv_heads * spec.group;
  shape.kv_len = spec.kv_len;
  shape.head_dim = shape.v_head_dim = spec.head_dim;
  if (spec.is_ragged)
    for (std::int64_t i = 0; i < spec.batch; ++i) {
      const std::int64_t part = kRaggedLengths[static_cast<std::size_t>(i) % kRaggedLengths.size()];
      shape.kv_lens.push_back(std::max<std::int64_t>(1, spec.kv_len * part / kRaggedLengths[0]));
    }
  return shape;
}

std::int64_t GpuGrid::used_sms() const {
  std::set<std::int32_t> sms;
  for (const ScheduledBlock& b : schedule.split.blocks) sms.insert(b.sm);
  return static_cast<std::int64_t>(sms.size());
}

double GpuGrid::mean_gb_s() const {
  return static_cast<double>(schedule.split.bytes()) / (schedule.split.span_us * 1e3);
}

double GpuGrid::block_gb_s() const {
  double sum = 0;
  for (const ScheduledBlock& b : schedule.split.blocks)
    sum += static_cast<double>(b.bytes) / ((b.end_us - b.start_us) * 1e3);
  return sum / static_cast<double>(blocks());
}

double GpuGrid::predicted_us() const {
  return measured && measured->is_span ? schedule.split_kernel_us() : schedule.time_us;
}

Result<GpuScene> make_gpu_scene(const GpuSceneSpec& spec, const std::vector<Recording>& recordings) {
  auto gpu = find_gpu(spec.gpu);
  if (!gpu) return gpu.fault();
  auto kernel = find_kernel(spec.kernel);
  if (!kernel) return kernel.fault();
  if (find_fault(kernel->block, *gpu)) kernel = find_kernel(kFitsEverywhere);
  GpuScene scene{spec, std::move(*gpu), std::move(*kernel), {}, {}, {}, {}, {}, {}};

  const DecodeShape shape = shape_of(spec);
  scene.question = split_question(scene.gpu, scene.kernel, shape);
  scene.rules = all_split_rules(scene.question);
  const std::int64_t splits = spec.splits.value_or(our_splits(scene.question));
  auto b = make_grid(scene, shape, splits, recordings);
  if (!b) return b.fault();
  scene.b = std::move(*b);

  GpuSceneSpec a_spec = spec;
  a_spec.batch = spec.a_batch.value_or(spec.batch);
  auto a = make_grid(scene, shape_of(a_spec), spec.a_splits, recordings);
  if (!a) return a.fault();
  scene.a = std::move(*a);

  scene.clock = step_clock(std::max(scene.a.schedule.time_us, scene.b.schedule.time_us));
  scene.sweep = sweep_of(scene, shape, recordings);
  return scene;
}

}  // namespace fdlab

#include "cuda/bench.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "cuda/bench_reference.h"
#include "cuda/decode.h"

namespace fdlab {
namespace {

constexpr std::int64_t kPastCache = 1'000'000'000;  // bytes that input sets fill, many times the L2
constexpr std::int64_t kMostSets = 384;

/// One and a half times what careful kernels leave on normal random numbers: P and o rounded to 16 bits, or float sums.
double most_relative_error(DType o_type) {
  switch (o_type) {
    case DType::bf16: return 6e-3;
    case DType::f16: return 8e-4;
    default: return 1e-5;
  }
}
constexpr double kMostLseError = 1e-5;

double larger_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

std::optional<Fault> find_fault_for_bench(const CudaBenchCase& c) {
  const DecodeShape& s = c.shape;
  if (const auto fault = find_fault(s)) return Fault{*fault};
  if (s.kv_bytes() == 0) return Fault{"expected at least one key for the bench, found none"};
  if (s.v_head_dim != s.head_dim)
    return Fault{"expected values as wide as keys for the bench, found " + std::to_string(s.v_head_dim) +
                 " beside " + std::to_string(s.head_dim)};
  return std::nullopt;
}

template <class T>
DeviceBuffer upload(const std::vector<T>& values) {
  DeviceBuffer buffer(values.size() * sizeof(T));
  if (!values.empty())
    FD_CUDA(cudaMemcpy(buffer.data(), values.data(), buffer.size(), cudaMemcpyHostToDevice));
  return buffer;
}

std::int64_t pages_each(const CudaBenchCase& c) {
  return c.page_size == 0 ? 0 : (c.shape.kv_len + c.page_size - 1) / c.page_size;
}

/// Bytes of K or V with room for kv_len keys of every sequence, in whole pages.
std::int64_t half_cache_bytes(const CudaBenchCase& c) {
  const std::int64_t tokens = c.page_size == 0 ? c.shape.kv_len : pages_each(c) * c.page_size;
  return c.shape.batch * c.shape.kv_heads * tokens * c.shape.bytes_per_key() / 2;
}

/// Equal problems side by side in device memory, and their outputs.
class InputSets {
 public:
  /// kv: memory with room for `sets` caches.
  InputSets(const CudaBenchCase& c, int sets, char* kv, cudaStream_t stream)
      : case_(c),
        kv_(kv),
        stored_(c.shape.kv_dtype == DType::e4m3 ? DType::bf16 : c.shape.kv_dtype),
        row_bytes_(c.shape.batch * c.shape.q_heads * c.shape.q_len * c.shape.head_dim *
                   static_cast<std::int64_t>(size_in_bytes(stored_))),
        q_(static_cast<std::size_t>(row_bytes_ * sets)),
        o_(static_cast<std::size_t>(row_bytes_ * sets)),
        lse_(static_cast<std::size_t>(c.shape.batch * c.shape.q_heads * c.shape.q_len) * sizeof(float)),
        lens_(upload(std::vector<std::int32_t>(c.shape.kv_lens.begin(), c.shape.kv_lens.end()))) {
    constexpr std::uint64_t kSeed = 7;
    bench::fill_random(q_.data(), stored_,
                       row_bytes_ * sets / static_cast<std::int64_t>(size_in_bytes(stored_)), kSeed, stream);
    std::vector<std::int32_t> pages(static_cast<std::size_t>(c.shape.batch * pages_each(c)));
    std::iota(pages.begin(), pages.end(), 0);
    std::shuffle(pages.begin(), pages.end(), std::mt19937(kSeed));
    pages_ = upload(pages);
  }

  DeviceProblem problem(int set) const {
    const auto small = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
    const DecodeShape& s = case_.shape;
    const std::int64_t d = s.head_dim, n = s.kv_len, page = case_.page_size;
    DeviceProblem p;
    p.batch = small(s.batch), p.q_heads = small(s.q_heads), p.kv_heads = small(s.kv_heads);
    p.q_len = small(s.q_len), p.kv_len = small(n), p.head_dim = p.v_head_dim = small(d);
    p.scale = 1 / std::sqrt(static_cast<float>(d));
    p.q = {q_.as<char>() + set * row_bytes_, stored_, s.q_heads * s.q_len * d, s.q_len * d, d};
    p.k = {kv_ + 2 * set * half_cache_bytes(case_), s.kv_dtype, s.kv_heads * n * d, n * d, d};
    if (page > 0) {  // a page holds its tokens one after the other, each with all its heads
      p.k.batch_stride = page * s.kv_heads * d, p.k.head_stride = d, p.k.token_stride = s.kv_heads * d;
      p.pages = {pages_.as<std::int32_t>(), pages_each(case_), case_.page_size};
    }
    p.v = p.k;
    p.v.data = static_cast<const char*>(p.k.data) + half_cache_bytes(case_);
    if (!s.kv_lens.empty()) p.kv_lens = lens_.as<std::int32_t>();
    p.o = o_.as<char>() + set * row_bytes_, p.o_type = stored_;
    p.lse_ln = lse_.as<float>();
    return p;
  }

  /// Everything a launch writes becomes NaN.
  void poison(int set, const Workspace& workspace, cudaStream_t stream) const {
    FD_CUDA(cudaMemsetAsync(problem(set).o, 0xff, static_cast<std::size_t>(row_bytes_), stream));
    FD_CUDA(cudaMemsetAsync(lse_.data(), 0xff, lse_.size(), stream));
    if (workspace.partials.size() > 0)
      FD_CUDA(cudaMemsetAsync(workspace.partials.data(), 0xff, workspace.partials.size(), stream));
  }

 private:
  CudaBenchCase case_;
  char* kv_;
  DType stored_;  // of q and o
  std::int64_t row_bytes_;
  DeviceBuffer q_, o_, lse_, lens_, pages_;
};

CudaBenchCase row(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads, std::int64_t kv_len,
                  std::int64_t head_dim = 128, DType type = DType::bf16) {
  return {{batch, q_heads, kv_heads, 1, kv_len, head_dim, head_dim, type, {}}};
}
CudaBenchCase ragged(CudaBenchCase c, std::vector<std::int64_t> kv_lens) {
  c.shape.kv_lens = std::move(kv_lens);
  return c;
}
CudaBenchCase paged(CudaBenchCase c, std::int32_t page_size) {
  c.page_size = page_size;
  return c;
}

}  // namespace

std::vector<CudaBenchCase> cuda_bench_cases() {
  return {row(1, 32, 8, 512),
          row(1, 32, 8, 1024),
          row(1, 32, 8, 4096),
          row(1, 8, 1, 65536),
          row(1, 32, 32, 4096),
          row(1, 32, 8, 32768),
          row(8, 32, 8, 8192),
          row(1, 32, 32, 32768),
          row(1, 32, 8, 131072),
          row(1, 64, 8, 131072),
          row(8, 32, 8, 32768),
          row(64, 32, 8, 4096),
          row(1, 32, 32, 131072),
          row(64, 32, 8, 16384),
          row(1, 64, 8, 1048576),
          row(1, 32, 8, 32768, 64),
          row(8, 32, 8, 8192, 64),
          row(8, 32, 8, 8192, 80),
          row(8, 32, 8, 8192, 96),
          row(8, 32, 8, 8192, 256),
          row(256, 16, 2, 256),
          row(64, 16, 2, 1024),
          row(16, 16, 2, 4096),
          row(4, 16, 2, 16384),
          row(1, 16, 2, 65536),
          row(1, 16, 8, 32768),
          row(1, 64, 8, 32768),
          row(1, 128, 8, 32768),
          row(1, 32, 1, 32768),
          row(1, 32, 1, 262144),
          row(1, 32, 8, 4096, 128, DType::f16),
          row(1, 32, 8, 131072, 128, DType::f16),
          row(64, 32, 8, 4096, 128, DType::f16),
          row(1, 32, 8, 131072, 128, DType::e4m3),
          row(64, 32, 8, 4096, 128, DType::e4m3),
          row(8, 32, 8, 8192, 128, DType::f32),
          row(8, 32, 8, 8192, 256, DType::f32),
          ragged(row(8, 32, 8, 16384), {16384, 8000, 4097, 1, 2048, 12000, 600, 16000}),
          paged(row(8, 32, 8, 8192), 256),
          paged(row(8, 32, 8, 8192), 16),
          paged(row(8, 32, 8, 8192), 1)};
}

struct CudaBench::State {
  explicit State(const DeviceLimits& device_limits) : limits(device_limits) {
    FD_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~State() { cudaStreamDestroy(stream); }

  /// Random numbers of a type, kept from one shape to the next.
  char* kv_memory(DType type, std::size_t bytes) {
    if (bytes > kv.size()) {
      kv = DeviceBuffer();
      kv = DeviceBuffer(bytes);
      filled.reset();
    }
    if (filled != type)
      bench::fill_random(kv.data(), type, static_cast<std::int64_t>(kv.size() / size_in_bytes(type)), 1,
                         stream);
    filled = type;
    return kv.as<char>();
  }

  /// Launches into poisoned memory, and holds the first and the last set against the reference.
  void check(const InputSets& sets, int last, const CudaPlan& plan, const Workspace& workspace,
             LaunchDecode launch, CudaBenchRow& row) const {
    const DeviceProblem first = sets.problem(0);
    const auto rows = static_cast<std::size_t>(first.num_rows());
    const DeviceBuffer o(rows * static_cast<std::size_t>(first.v_head_dim) * sizeof(double)),
        lse(rows * sizeof(double)), scores(rows * static_cast<std::size_t>(first.kv_len) * sizeof(double));
    for (const int set : {0, last}) {
      const DeviceProblem p = sets.problem(set);
      sets.poison(set, workspace, stream);
      launch(p, plan, workspace, stream);
      bench::launch_reference(p, o.as<double>(), lse.as<double>(), scores.as<double>(), stream);
      const double error = bench::relative_error(p, o.as<double>(), stream),
                   lse_error = bench::lse_error(p, lse.as<double>(), stream);
      row.relative_error = larger_or_nan(row.relative_error, error);
      row.lse_error = larger_or_nan(row.lse_error, lse_error);
    }
    row.right = row.relative_error <= most_relative_error(first.o_type) && row.lse_error <= kMostLseError;
  }

  DeviceLimits limits;
  cudaStream_t stream = nullptr;
  DeviceBuffer kv;
  std::optional<DType> filled;
};

CudaBench::CudaBench(const DeviceInfo& device) : state_(std::make_unique<State>(device.limits)) {}
CudaBench::~CudaBench() = default;

Result<CudaBenchRow> CudaBench::run(const CudaBenchRequest& request) {
  const CudaBenchCase& c = request.problem;
  if (const auto fault = find_fault_for_bench(c)) return *fault;
  const std::int64_t cache_bytes = 2 * half_cache_bytes(c);
  const int sets =
      static_cast<int>(std::clamp<std::int64_t>((kPastCache + cache_bytes - 1) / cache_bytes, 1, kMostSets));
  char* kv =
      state_->kv_memory(c.shape.kv_dtype, static_cast<std::size_t>(std::max(cache_bytes * sets, kPastCache)));
  const InputSets inputs(c, sets, kv, state_->stream);

  const PlanResult planned = make_plan(inputs.problem(0), state_->limits, request.options);
  if (!planned.plan) return Fault{planned.fault};
  if (request.rung)
    if (const auto refusal = request.rung->find_refusal(inputs.problem(0))) return Fault{*refusal};
  const Workspace workspace = upload_plan(*planned.plan);
  FD_CUDA(cudaDeviceSynchronize());  // the workspace is set on another stream
  const LaunchDecode launch = request.rung ? request.rung->launch : launch_decode;

  CudaBenchRow row;
  row.plan = *planned.plan;
  state_->check(inputs, sets - 1, row.plan, workspace, launch, row);
  if (!row.right) return row;
  row.times = bench::time_calls(
      sets, [&](int set, cudaStream_t stream) { launch(inputs.problem(set), row.plan, workspace, stream); },
      state_->stream);
  row.ceiling = bench::read_ceiling(kv, c.shape.kv_bytes(), sets, state_->limits, state_->stream);
  return row;
}

}  // namespace fdlab

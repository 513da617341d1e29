#include "cuda/run.h"

#include <algorithm>
#include <limits>

#include "cuda/decode.h"

namespace fdlab {
namespace {

/// Elements from the first to the last that the view reaches, for non-negative strides.
std::int64_t extent(const TensorView& t, const std::array<std::int64_t, 4>& shape) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (shape[axis] == 0) return 0;
    last += (shape[axis] - 1) * t.stride[axis];
  }
  return last + 1;
}

template <class T, class From>
DeviceBuffer upload(const std::vector<From>& values) {
  std::vector<T> converted(values.begin(), values.end());
  DeviceBuffer buffer(converted.size() * sizeof(T));
  FD_CUDA(cudaMemcpy(buffer.data(), converted.data(), buffer.size(), cudaMemcpyHostToDevice));
  return buffer;
}

std::optional<std::string> find_fault(const char* name, const TensorView& t) {
  if (t.stride[3] != 1)
    return std::string("expected the components of ") + name + " side by side, found a stride of " +
           std::to_string(t.stride[3]);
  if (std::any_of(t.stride.begin(), t.stride.end(), [](std::int64_t s) { return s < 0; }))
    return std::string("expected no negative stride in ") + name;
  return std::nullopt;
}

}  // namespace

Result<UploadedProblem> UploadedProblem::of(const DecodeProblem& host) {
  if (auto fault = fdlab::find_fault(host)) return Fault{*fault};
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t size :
       {host.batch, host.q_heads * host.q_len, host.kv_len, host.batch * host.q_heads * host.q_len})
    if (size > kMost)
      return Fault{"expected sizes below 2^31 for the CUDA backend, found " + std::to_string(size)};

  UploadedProblem uploaded;
  DeviceProblem& p = uploaded.problem_;
  const auto place = [&](const char* name, const TensorView& t, std::array<std::int64_t, 4> shape,
                         DeviceTensor& to) -> std::optional<std::string> {
    if (auto fault = find_fault(name, t)) return fault;
    const std::size_t bytes = static_cast<std::size_t>(extent(t, shape)) * size_in_bytes(t.type);
    DeviceBuffer buffer(bytes);
    FD_CUDA(cudaMemcpy(buffer.data(), t.data, bytes, cudaMemcpyHostToDevice));
    to = {buffer.data(), t.type, t.stride[0], t.stride[1], t.stride[2]};
    uploaded.buffers_.push_back(std::move(buffer));
    return std::nullopt;
  };
  if (auto fault = place("q", host.q, {host.batch, host.q_heads, host.q_len, host.head_dim}, p.q))
    return Fault{*fault};
  if (auto fault = place("k", host.k, {host.batch, host.kv_heads, host.kv_len, host.head_dim}, p.k))
    return Fault{*fault};
  if (auto fault = place("v", host.v, {host.batch, host.kv_heads, host.kv_len, host.v_head_dim}, p.v))
    return Fault{*fault};

  const auto small = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  p.batch = small(host.batch), p.q_heads = small(host.q_heads), p.kv_heads = small(host.kv_heads),
  p.q_len = small(host.q_len);
  p.kv_len = small(host.kv_len), p.head_dim = small(host.head_dim), p.v_head_dim = small(host.v_head_dim);
  p.scale = static_cast<float>(host.scale * host.k_scale);
  p.v_scale = static_cast<float>(host.v_scale);
  p.features.causal = host.rules.causal;
  p.features.window = small(std::min<std::int64_t>(host.rules.window, kMost / 2));
  p.features.softcap = static_cast<float>(host.rules.softcap);
  p.features.lse_includes_sink = host.rules.lse_includes_sink;

  const auto keep = [&](DeviceBuffer buffer) {
    return uploaded.buffers_.emplace_back(std::move(buffer)).data();
  };
  if (!host.rules.alibi_slopes.empty())
    p.features.alibi_slopes = static_cast<const float*>(keep(upload<float>(host.rules.alibi_slopes)));
  if (!host.rules.sinks.empty())
    p.features.sinks = static_cast<const float*>(keep(upload<float>(host.rules.sinks)));
  if (!host.kv_lens.empty())
    p.kv_lens = static_cast<const std::int32_t*>(keep(upload<std::int32_t>(host.kv_lens)));
  p.o_type = DType::f32;
  const std::size_t rows = static_cast<std::size_t>(p.num_rows());
  p.o = keep(DeviceBuffer(rows * static_cast<std::size_t>(p.v_head_dim) * sizeof(float)));
  p.lse_ln = static_cast<float*>(keep(DeviceBuffer(rows * sizeof(float))));
  return Result<UploadedProblem>(std::move(uploaded));
}

DeviceOutput UploadedProblem::output() const {
  const std::size_t rows = static_cast<std::size_t>(problem_.num_rows());
  DeviceOutput out;
  out.o.resize(rows * static_cast<std::size_t>(problem_.v_head_dim));
  out.lse_ln.resize(rows);
  FD_CUDA(cudaDeviceSynchronize());
  FD_CUDA(cudaMemcpy(out.o.data(), problem_.o, out.o.size() * sizeof(float), cudaMemcpyDeviceToHost));
  FD_CUDA(cudaMemcpy(out.lse_ln.data(), problem_.lse_ln, rows * sizeof(float), cudaMemcpyDeviceToHost));
  return out;
}

Result<DeviceOutput> run_on_device(const DecodeProblem& problem, const DeviceLimits& limits,
                                   const PlanOptions& options, const Rung* rung) {
  Result<UploadedProblem> uploaded = UploadedProblem::of(problem);
  if (!uploaded) return uploaded.fault();
  const DeviceProblem& p = uploaded->problem();
  if (rung)
    if (const auto refusal = rung->find_refusal(p)) return Fault{*refusal};
  const PlanResult planned = make_plan(p, limits, options);
  if (!planned.plan) return Fault{planned.fault};
  const Workspace workspace = upload_plan(*planned.plan);
  (rung ? rung->launch : launch_decode)(p, *planned.plan, workspace, nullptr);
  DeviceOutput out = uploaded->output();
  out.plan = *planned.plan;
  return out;
}

}  // namespace fdlab

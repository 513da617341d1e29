// From q·k to a score in base 2, and from a row's statistics to what is stored.
#pragma once

#include "core/math/merge.h"
#include "cuda/element.h"
#include "cuda/exp_device.h"
#include "cuda/problem.h"

namespace fdlab {

/// Scale, softcap and ALiBi of one query row. The mask is the caller's: it knows which keys it reads.
struct RowScore {
  float slope_log2;       ///< ALiBi slope · log2 e
  float per_softcap;      ///< 1 / softcap, 0 if there is none
  std::int32_t position;  ///< of the query among the keys

  __device__ static RowScore of(const DeviceProblem& p, std::int32_t q_head, std::int32_t position) {
    const float* slopes = p.features.alibi_slopes;
    return {slopes ? slopes[q_head] * static_cast<float>(kLog2E) : 0.0f,
            p.features.softcap > 0 ? __fdividef(1.0f, p.features.softcap) : 0.0f, position};
  }

  /// q·k → score in base 2.
  __device__ float operator()(const DeviceProblem& p, float dot, std::int32_t key) const {
    float score = dot * scale_log2(p);
    if (per_softcap > 0)
      score = p.features.softcap * static_cast<float>(kLog2E) * tanh_from_exp(dot * p.scale * per_softcap);
    return score + slope_log2 * static_cast<float>(key - position);
  }

  __device__ static float scale_log2(const DeviceProblem& p) { return p.scale * static_cast<float>(kLog2E); }
  /// Neither softcap nor ALiBi: the score is scale_log2 · q·k.
  __device__ static bool is_plain(const DeviceProblem& p) {
    return p.features.softcap <= 0 && !p.features.alibi_slopes;
  }

 private:
  /// tanh x = 1 − 2 / (e^2x + 1), which cancels where x is small: there its series is right to 1e-8 of it.
  __device__ static float tanh_from_exp(float x) {
    const float x2 = x * x;
    if (x2 > 0.0625f)
      return 1.0f - __fdividef(2.0f, DeviceBase2::exp(2 * x * static_cast<float>(kLog2E)) + 1.0f);
    const float sum = fmaf(fmaf(fmaf(62.0f / 2835, x2, -17.0f / 315), x2, 2.0f / 15), x2, -1.0f / 3);
    return fmaf(x * x2, sum, x);
  }
};

/// The sink as one more key of value 0: merged last, once per row.
template <class Form>
__device__ auto merge_sink(const DeviceProblem& p, std::int32_t q_head, typename Form::Stats stats) {
  const float sink =
      p.features.sinks ? p.features.sinks[q_head] * static_cast<float>(kLog2E) : kMinusInfinity;
  return Form::merge(stats, Form::of(sink));
}

/// S of a row in base 2, as the caller wants it: with the sink or without.
template <class Stats>
__device__ float lse_log2(const DeviceProblem& p, Stats keys, Stats keys_and_sink) {
  return to_log_sum<Base2>(p.features.lse_includes_sink ? keys_and_sink : keys).S;
}

/// S in base 2 → natural, as stored. An empty row has −∞.
__device__ inline void store_lse(const DeviceProblem& p, std::int64_t row, float S_log2) {
  if (p.lse_ln) p.lse_ln[row] = S_log2 * static_cast<float>(kLn2);
}

__device__ inline void store_output(const DeviceProblem& p, std::int64_t row, std::int32_t component,
                                    float o) {
  store_as(p.o, p.o_type, row * p.v_head_dim + component, o * p.v_scale);
}

}  // namespace fdlab

// From q·k to a score in base 2, and from a row's statistics to what is stored.
#pragma once

#include "core/math/merge.h"
#include "cuda/element.h"
#include "cuda/exp_device.h"
#include "cuda/problem.h"

namespace fdlab {

/// Scale, softcap and ALiBi of one query row. The mask is the caller's: it knows which keys it reads.
struct RowScore {
  float scale_log2;  ///< scale · log2 e
  float softcap_log2, per_softcap;
  float slope_log2;
  std::int64_t position;
  bool plain;  ///< neither softcap nor ALiBi: the score is scale_log2 · q·k

  __device__ static RowScore of(const DeviceProblem& p, std::int32_t q_head, std::int64_t position) {
    const ScoreFeatures& f = p.features;
    const float per_natural = static_cast<float>(kLog2E);
    const float slope = f.alibi_slopes ? f.alibi_slopes[q_head] : 0.0f;
    const float per_softcap = f.softcap > 0 ? p.scale / f.softcap : 0.0f;
    return {p.scale * per_natural,
            f.softcap * per_natural,
            per_softcap,
            slope * per_natural,
            position,
            f.softcap <= 0 && !f.alibi_slopes};
  }

  __device__ float operator()(float dot, std::int64_t key) const {
    if (plain) return dot * scale_log2;
    const float capped = per_softcap != 0 ? softcap_log2 * tanhf(dot * per_softcap) : dot * scale_log2;
    return capped + slope_log2 * static_cast<float>(key - position);
  }
};

/// The sink as one more key of value 0: merged last, once per row.
template <class Form>
__device__ auto merge_sink(const DeviceProblem& p, std::int32_t q_head, typename Form::Stats stats) {
  const float sink =
      p.features.sinks ? p.features.sinks[q_head] * static_cast<float>(kLog2E) : kMinusInfinity;
  return Form::merge(stats, Form::of(sink));
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

// One decode-attention problem: which tensors, how they lie in memory, how long each sequence is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/problem/decode.h"
#include "core/problem/score_rules.h"

namespace fdlab {

/// A tensor somebody else owns. Axes are (batch, head, token, component), strides in elements; any stride is allowed.
struct TensorView {
  const void* data = nullptr;
  DType type = DType::f32;
  std::array<std::int64_t, 4> stride{};

  std::int64_t offset(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) const {
    return b * stride[0] + h * stride[1] + n * stride[2] + c * stride[3];
  }
  double at(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) const {
    return load_element(data, type, offset(b, h, n, c));
  }
};

/// Strides of a C-order tensor (batch, head, token, component).
constexpr std::array<std::int64_t, 4> c_order_strides(std::int64_t heads, std::int64_t tokens,
                                                      std::int64_t dim) {
  return {heads * tokens * dim, tokens * dim, dim, 1};
}

struct DecodeProblem {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1;
  std::int64_t q_len = 1;   ///< query rows per sequence
  std::int64_t kv_len = 0;  ///< token slots in k and v; a sequence may use fewer
  std::int64_t head_dim = 0, v_head_dim = 0;
  double scale = 0;                 ///< multiplies q·k; 1/sqrt(head_dim) unless the model says otherwise
  double k_scale = 1, v_scale = 1;  ///< above 0; stored keys and values are multiplied by them (fp8 caches)

  TensorView q;                       // (batch, q_heads, q_len, head_dim)
  TensorView k;                       // (batch, kv_heads, kv_len, head_dim)
  TensorView v;                       // (batch, kv_heads, kv_len, v_head_dim)
  std::vector<std::int64_t> kv_lens;  ///< one per sequence; empty: all use kv_len
  ScoreRules rules;

  std::int64_t kv_len_of(std::int64_t b) const {
    return kv_lens.empty() ? kv_len : kv_lens[static_cast<std::size_t>(b)];
  }
  /// Grouped-query attention: consecutive query heads share a KV head.
  std::int64_t kv_head_of(std::int64_t q_head) const { return q_head / (q_heads / kv_heads); }
  /// Place of a query row among the keys: the last row stands at the last key. Negative where rows outnumber keys.
  std::int64_t query_position(std::int64_t b, std::int64_t row) const { return kv_len_of(b) - q_len + row; }
  /// The keys that a query row sees: causal mask and window leave one range. It may be empty.
  KeyRange visible_keys(std::int64_t b, std::int64_t row) const;
};

/// One sentence saying what is wrong with the problem, or nothing.
std::optional<std::string> find_fault(const DecodeProblem& problem);

}  // namespace fdlab

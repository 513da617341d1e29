// One decode problem as the kernels see it: device pointers, 64-bit strides, lengths that live on the device.
#pragma once

#include <cstdint>

#include "core/math/host_device.h"
#include "core/problem/dtype.h"

namespace fdlab {

/// A device tensor (batch, head, token, component); strides in elements, components adjacent.
struct DeviceTensor {
  const void* data = nullptr;
  DType type = DType::f32;
  std::int64_t batch_stride = 0, head_stride = 0, token_stride = 0;

  FD_HD std::int64_t offset(std::int64_t batch, std::int64_t head, std::int64_t token) const {
    return batch * batch_stride + head * head_stride + token * token_stride;
  }
};

/// A paged cache: token n of sequence b lies in page table[b·table_stride + n / page_size] at slot n mod page_size. A
/// page takes the batch's place in the strides of k and v.
struct PageTable {
  const std::int32_t* pages = nullptr;  ///< null: the cache is contiguous
  std::int64_t table_stride = 0;
  std::int32_t page_size = 1;
};

/// What a model may do to a score besides scaling it. Order: scale, softcap, ALiBi, mask (causal, window).
struct ScoreFeatures {
  bool causal = false;      ///< bottom-right: the last query row sees every key
  std::int32_t window = 0;  ///< the last `window` keys including the query's own; 0: all
  float softcap = 0;        ///< cap·tanh(score/cap); 0: none
  const float* alibi_slopes =
      nullptr;                   ///< (q_heads): adds slope·(key − query position), unscaled; null: none
  const float* sinks = nullptr;  ///< (q_heads): one more unscaled logit per row, with value 0; null: none
  bool lse_includes_sink = true;
};

/// Shapes: q (batch, q_heads, q_len, head_dim), k (batch, kv_heads, kv_len, head_dim), v likewise with v_head_dim.
struct DeviceProblem {
  std::int32_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 1;
  std::int32_t kv_len = 0;  ///< token slots; no sequence is longer
  std::int32_t head_dim = 0, v_head_dim = 0;
  float scale = 0;    ///< multiplies q·k; an e4m3 cache's k_scale belongs into it
  float v_scale = 1;  ///< multiplies o

  /// k and v of one type; q of any but e4m3. The tuned kernels take a float cache with every q, a 16-bit one with q of its type,
  /// and an e4m3 one with f16 or bf16, which becomes f16 (|q| ≤ 65504; below 6e-5 digits are lost). Else the generic one serves.
  ///
  /// What lies in slots that no row sees is never felt. In the tuned kernels a NaN or an infinity in V of a key that one row sees
  /// reaches all rows that share its KV head. The sum of weighted values, before it is divided, must fit a float.
  DeviceTensor q, k, v;
  PageTable pages;
  const std::int32_t* kv_lens = nullptr;  ///< (batch), read by the kernel; null: all kv_len
  ScoreFeatures features;

  void* o = nullptr;  ///< (batch, q_heads, q_len, v_head_dim), C order
  DType o_type = DType::f32;
  float* lse_ln = nullptr;  ///< (batch, q_heads, q_len), natural log, sink included; null: not wanted

  FD_HD std::int64_t num_rows() const { return std::int64_t{1} * batch * q_heads * q_len; }
  FD_HD std::int32_t group() const { return q_heads / kv_heads; }
};

/// One query row and where it stands.
struct Row {
  std::int64_t index;  ///< (batch, q_head, q) in C order
  std::int32_t batch, q_head, q;
};

FD_HD inline Row row_at(const DeviceProblem& p, std::int64_t index) {
  const std::int64_t head_row = index / p.q_len;
  return {index, static_cast<std::int32_t>(head_row / p.q_heads),
          static_cast<std::int32_t>(head_row % p.q_heads), static_cast<std::int32_t>(index % p.q_len)};
}

FD_HD inline std::int32_t kv_len_of(const DeviceProblem& p, std::int32_t batch) {
  return p.kv_lens ? p.kv_lens[batch] : p.kv_len;
}

/// Element offset of a token's first component in k or v.
FD_HD inline std::int64_t token_offset(const DeviceProblem& p, const DeviceTensor& t, std::int32_t batch,
                                       std::int32_t kv_head, std::int64_t token) {
  if (!p.pages.pages) return t.offset(batch, kv_head, token);
  const std::int64_t page = p.pages.pages[batch * p.pages.table_stride + token / p.pages.page_size];
  return t.offset(page, kv_head, token % p.pages.page_size);
}

/// Keys [begin, end). Positions are 32 bits wide, offsets 64.
struct KeySpan {
  std::int32_t begin, end;
  FD_HD std::int32_t size() const { return end > begin ? end - begin : 0; }
};

/// Keys that query row q of a sequence may see.
FD_HD inline KeySpan visible_keys(const DeviceProblem& p, std::int32_t kv_len, std::int32_t q) {
  const std::int32_t position = kv_len - p.q_len + q;
  const std::int32_t end = p.features.causal && position + 1 < kv_len ? position + 1 : kv_len;
  const std::int32_t begin = p.features.window > 0 ? position - p.features.window + 1 : 0;
  return {begin > 0 ? begin : 0, end};
}

}  // namespace fdlab

// The sizes of a decode step, without its numbers: all that a schedule depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem/dtype.h"

namespace fdlab {

struct DecodeShape {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1;
  std::int64_t q_len = 1;  ///< query rows per sequence
  std::int64_t kv_len = 0;
  std::int64_t head_dim = 128, v_head_dim = 128;
  DType kv_dtype = DType::bf16;
  std::vector<std::int64_t> kv_lens;  ///< one per sequence; empty: all use kv_len

  std::int64_t kv_len_of(std::int64_t sequence) const {
    return kv_lens.empty() ? kv_len : kv_lens[static_cast<std::size_t>(sequence)];
  }
  std::int64_t group() const { return q_heads / kv_heads; }  ///< query heads that share a KV head
  /// K and V of one token of one KV head.
  std::int64_t bytes_per_key() const {
    return (head_dim + v_head_dim) * static_cast<std::int64_t>(size_in_bytes(kv_dtype));
  }
  std::int64_t kv_bytes() const;  ///< all K and V: what somebody must read at least once

  friend bool operator==(const DecodeShape&, const DecodeShape&) = default;
};

/// One sentence saying what is wrong with the shape, or nothing.
std::optional<std::string> find_fault(const DecodeShape& shape);

}  // namespace fdlab

#include "core/problem/problem.h"

#include <fmt/format.h>

namespace fdlab {

std::optional<std::string> find_fault(const DecodeProblem& p) {
  if (p.batch < 0 || p.q_len < 0 || p.kv_len < 0) return "batch, q_len and kv_len must not be negative";
  if (p.q_heads < 1 || p.kv_heads < 1)
    return fmt::format("expected at least one query head and one KV head, found {} and {}", p.q_heads,
                       p.kv_heads);
  if (p.q_heads % p.kv_heads != 0)
    return fmt::format(
        "expected the query heads to be a multiple of the KV heads, found {} query heads and {} KV heads",
        p.q_heads, p.kv_heads);
  if (p.head_dim < 1 || p.v_head_dim < 1)
    return fmt::format("expected head_dim and v_head_dim of at least 1, found {} and {}", p.head_dim,
                       p.v_head_dim);
  if (!std::isfinite(p.scale)) return fmt::format("expected a finite softmax scale, found {}", p.scale);
  if (!p.kv_lens.empty() && static_cast<std::int64_t>(p.kv_lens.size()) != p.batch)
    return fmt::format("expected one KV length per sequence, found {} lengths for {} sequences",
                       p.kv_lens.size(), p.batch);
  for (std::size_t b = 0; b < p.kv_lens.size(); ++b)
    if (p.kv_lens[b] < 0 || p.kv_lens[b] > p.kv_len)
      return fmt::format("expected KV lengths from 0 to {}, found {} for sequence {}", p.kv_len, p.kv_lens[b],
                         b);
  return std::nullopt;
}

}  // namespace fdlab

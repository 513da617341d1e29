#include "core/sim/decode_shape.h"

#include <fmt/format.h>

#include <numeric>

namespace fdlab {
namespace {

constexpr std::int64_t kMostHeads = 1 << 20;
constexpr std::int64_t kMostKeys = std::int64_t{1} << 32;

}  // namespace

std::int64_t DecodeShape::kv_bytes() const {
  const std::int64_t keys =
      kv_lens.empty() ? batch * kv_len : std::accumulate(kv_lens.begin(), kv_lens.end(), std::int64_t{0});
  return keys * kv_heads * bytes_per_key();
}

std::optional<std::string> find_fault(const DecodeShape& s) {
  const auto outside = [](const char* what, std::int64_t least, std::int64_t most, std::int64_t found) {
    return fmt::format("expected {} from {} to {}, found {}", what, least, most, found);
  };
  struct Limit {
    const char* what;
    std::int64_t value, least, most;
  };
  for (const Limit& l :
       {Limit{"a batch", s.batch, 1, kMostHeads}, Limit{"query heads", s.q_heads, 1, kMostHeads},
        Limit{"KV heads", s.kv_heads, 1, kMostHeads}, Limit{"query rows", s.q_len, 1, kMostHeads},
        Limit{"a KV length", s.kv_len, 0, kMostKeys}, Limit{"a head_dim", s.head_dim, 1, 1 << 16},
        Limit{"a v_head_dim", s.v_head_dim, 1, 1 << 16}})
    if (l.value < l.least || l.value > l.most) return outside(l.what, l.least, l.most, l.value);
  if (s.q_heads % s.kv_heads != 0)
    return fmt::format("expected query heads to be a multiple of KV heads, found {} and {}", s.q_heads,
                       s.kv_heads);
  if (!s.kv_lens.empty() && static_cast<std::int64_t>(s.kv_lens.size()) != s.batch)
    return fmt::format("expected {} KV lengths, one a sequence, found {}", s.batch, s.kv_lens.size());
  for (const std::int64_t len : s.kv_lens)
    if (len < 0 || len > s.kv_len) return outside("every KV length", 0, s.kv_len, len);
  if (s.batch > kMostHeads / s.q_heads)
    return fmt::format("expected at most {} heads over the batch, found {} × {}", kMostHeads, s.batch,
                       s.q_heads);
  if (static_cast<double>(s.batch * s.kv_heads) * static_cast<double>(s.kv_len) *
          static_cast<double>(s.bytes_per_key()) >
      1e15)
    return "expected a KV cache of at most 10^15 bytes, found a larger one";
  return std::nullopt;
}

}  // namespace fdlab

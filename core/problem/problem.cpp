#include "core/problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/counted.h"

namespace fdlab {
namespace {

/// Scores are floats in every backend.
bool is_float(double x) { return std::isfinite(static_cast<float>(x)); }

std::optional<std::string> fault_in_per_head(const char* what, const std::vector<double>& values,
                                             std::int64_t q_heads) {
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != q_heads)
    return fmt::format("expected {} for each of {}, found {}", what, counted(q_heads, "query head"),
                       values.size());
  for (const double value : values)
    if (!is_float(value)) return fmt::format("expected {} that a float can hold, found {}", what, value);
  return std::nullopt;
}

std::optional<std::string> fault_in_rules(const DecodeProblem& p) {
  const ScoreRules& rules = p.rules;
  if (rules.window < 0) return fmt::format("expected a window of at least 1 key, found {}", rules.window);
  if (rules.window > 0 && p.q_len > 1 && !rules.causal)
    return fmt::format(
        "expected a causal mask with a window over more than one query row, found none for {} rows", p.q_len);
  if (!is_float(rules.softcap) || rules.softcap < 0)
    return fmt::format("expected a softcap above 0 that a float can hold, found {}", rules.softcap);
  if (rules.softcap > 0 && rules.softcap < std::numeric_limits<float>::min())
    return fmt::format("expected a softcap of at least {:.3g}, found {}", std::numeric_limits<float>::min(),
                       rules.softcap);
  if (const auto fault = fault_in_per_head("ALiBi slopes", rules.alibi_slopes, p.q_heads)) return fault;
  return fault_in_per_head("sinks", rules.sinks, p.q_heads);
}

}  // namespace

KeyRange DecodeProblem::visible_keys(std::int64_t b, std::int64_t row) const {
  const std::int64_t position = query_position(b, row);
  const std::int64_t end = rules.causal ? std::max<std::int64_t>(0, position + 1) : kv_len_of(b);
  const std::int64_t begin = rules.window > 0 ? std::max<std::int64_t>(0, position + 1 - rules.window) : 0;
  return {std::min(begin, end), end};
}

std::optional<std::string> find_fault(const DecodeProblem& p) {
  if (p.batch < 0 || p.q_len < 0 || p.kv_len < 0) return "batch, q_len and kv_len must not be negative";
  if (p.q_heads < 1 || p.kv_heads < 1)
    return fmt::format("expected at least one query head and one KV head, found {} and {}", p.q_heads,
                       p.kv_heads);
  if (p.q_heads % p.kv_heads != 0)
    return fmt::format("expected the query heads to be a multiple of the KV heads, found {} and {}",
                       counted(p.q_heads, "query head"), counted(p.kv_heads, "KV head"));
  if (p.head_dim < 1 || p.v_head_dim < 1)
    return fmt::format("expected head_dim and v_head_dim of at least 1, found {} and {}", p.head_dim,
                       p.v_head_dim);
  if (!std::isfinite(p.scale)) return fmt::format("expected a finite softmax scale, found {}", p.scale);
  for (const double scale : {p.k_scale, p.v_scale})
    if (!std::isfinite(scale) || scale <= 0)
      return fmt::format("expected finite scales of k and v above 0, found {} and {}", p.k_scale, p.v_scale);
  for (const double scale : {p.scale, p.k_scale, p.v_scale})
    if (!is_float(scale)) return fmt::format("expected scales that a float can hold, found {}", scale);
  if (!is_float(p.scale * p.k_scale))
    return fmt::format("expected a float to hold the softmax scale times that of k, found {} · {}", p.scale,
                       p.k_scale);
  if (!p.kv_lens.empty() && static_cast<std::int64_t>(p.kv_lens.size()) != p.batch)
    return fmt::format("expected one KV length per sequence, found {} for {}",
                       counted(std::ssize(p.kv_lens), "length"), counted(p.batch, "sequence"));
  for (std::size_t b = 0; b < p.kv_lens.size(); ++b)
    if (p.kv_lens[b] < 0 || p.kv_lens[b] > p.kv_len)
      return fmt::format("expected KV lengths from 0 to {}, found {} for sequence {}", p.kv_len, p.kv_lens[b],
                         b);
  return fault_in_rules(p);
}

}  // namespace fdlab

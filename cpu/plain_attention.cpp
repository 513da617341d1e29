#include "cpu/plain_attention.h"

#include "core/problem/round_to.h"
#include "cpu/standard_attention.h"

namespace fdlab {
namespace {

PlainRow plain_attention_row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row,
                             DType out_type, SumOrder order, RoundingReach* reach = nullptr) {
  const auto round_p = [p_type = p_type_of(p)](float weight) {
    return static_cast<float>(round_to(p_type, weight));
  };
  const auto result = StandardAttention<float>(p, b, q_head, row, order).run(round_p, reach);
  PlainRow plain{{}, result.lse_ln, {}};
  for (const float o : result.o) plain.o.push_back(round_to(out_type, o));
  return plain;
}

}  // namespace

DType p_type_of(const DecodeProblem& p) {
  if (p.v.type == DType::e4m3) return DType::f16;
  return size_in_bytes(p.v.type) == 2 ? p.v.type : DType::f32;
}

PlainRow plain_attention_row(const DecodeProblem& p, const OracleRow& oracle, std::int64_t b,
                             std::int64_t q_head, std::int64_t row, DType out_type) {
  const auto further = [](double a, double b, double from) {
    return std::abs(a - from) >= std::abs(b - from) ? a : b;
  };
  PlainRow worse = plain_attention_row(p, b, q_head, row, out_type, SumOrder::vectorised);
  RoundingReach reach(static_cast<std::size_t>(p.v_head_dim), p_type_of(p));
  const PlainRow other = plain_attention_row(p, b, q_head, row, out_type, SumOrder::one_by_one, &reach);
  for (std::size_t c = 0; c < worse.o.size(); ++c) worse.o[c] = further(worse.o[c], other.o[c], oracle.o[c]);
  worse.lse_ln = further(worse.lse_ln, other.lse_ln, oracle.lse_ln);
  worse.reach = reach.of_components();
  return worse;
}

}  // namespace fdlab

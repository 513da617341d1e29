#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/run_report.h"
#include "cpu/executor.h"

namespace fdlab::cli {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are written as the strings "nan", "inf" and "-inf".
Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json shape_of(const LoadedProblem& loaded) {
  const DecodeProblem& p = loaded.problem;
  return {
      {"batch", p.batch},
      {"q_heads", p.q_heads},
      {"kv_heads", p.kv_heads},
      {"q_len", p.q_len},
      {"kv_len", p.kv_len},
      {"kv_lens", p.kv_lens.empty() ? std::vector<std::int64_t>(static_cast<std::size_t>(p.batch), p.kv_len)
                                    : p.kv_lens},
      {"head_dim", p.head_dim},
      {"v_head_dim", p.v_head_dim},
      {"layout", name_of(loaded.layout)},
      {"q_dtype", name_of(p.q.type)},
      {"k_dtype", name_of(p.k.type)},
      {"v_dtype", name_of(p.v.type)},
      {"o", loaded.o_shape},
      {"lse", loaded.lse_shape}};
}

Json rules_of(const ScoreRules& rules) {
  return {{"causal", rules.causal},   {"window", rules.window},
          {"softcap", rules.softcap}, {"alibi_slopes", rules.alibi_slopes},
          {"sinks", rules.sinks},     {"lse_includes_sink", rules.lse_includes_sink}};
}

/// The plan of each sequence, as it was run.
Json plan_of(const RunReport& r) {
  const DecodePlan longest = plan_for(r.options.method, r.options.plan, r.loaded.problem.kv_len);
  Json tiles = Json::array();
  for (std::int64_t b = 0; b < r.loaded.problem.batch; ++b)
    tiles.push_back(plan_for(r.options.method, r.options.plan, r.loaded.problem.kv_len_of(b)).num_tiles());
  return {{"tile", longest.tile_size},
          {"streams", longest.num_streams},
          {"deal", name_of(longest.deal)},
          {"merge", name_of(longest.merge)},
          {"tiles", tiles}};
}

Json verdict_of(const Verdict& verdict) {
  constexpr const char* kOutcomes[] = {"passed", "failed", "nothing compared"};
  return {{"outcome", kOutcomes[static_cast<int>(verdict.outcome)]},
          {"compared", verdict.difference.compared},
          {"incomparable", verdict.difference.incomparable},
          {"nan", verdict.difference.nan_found},
          {"max_abs", verdict.difference.max_abs},
          {"max_ulp", verdict.difference.max_ulp},
          {"mean_signed", verdict.difference.mean_signed},
          {"index", verdict.index},
          {"found", number(verdict.found)},
          {"expected", number(verdict.expected)},
          {"limit", number(verdict.limit)}};
}

Json row_of(const RowCheck& row) {
  return {{"sequence", row.sequence},
          {"q_head", row.q_head},
          {"row", row.row},
          {"o_max_abs", row.o.max_abs},
          {"o_max_ulp", row.o.max_ulp},
          {"o_mean_signed", row.o.mean_signed},
          {"o_worst", row.o.worst},
          {"nan", row.o.nan_found},
          {"lse_ln", number(row.lse_found)},
          {"lse_ln_oracle", number(row.lse_oracle)}};
}

}  // namespace

std::string run_json(const RunReport& r) {
  Json rows = Json::array();
  for (const RowCheck& row : r.check.rows) rows.push_back(row_of(row));
  const Json json = {{"format", "fdlab-run"},
                     {"version", 1},
                     {"shape", shape_of(r.loaded)},
                     {"scale", r.loaded.problem.scale},
                     {"k_scale", r.loaded.problem.k_scale},
                     {"v_scale", r.loaded.problem.v_scale},
                     {"rules", rules_of(r.loaded.problem.rules)},
                     {"method", name_of(r.options.method)},
                     {"plan", plan_of(r)},
                     {"backend", "cpu"},
                     {"executor", r.run.executor},
                     {"isa", r.run.isa},
                     {"threads", r.run.threads},
                     {"out_dtype", name_of(r.options.out_dtype)},
                     {"lse_base", r.options.lse_base_2 ? "2" : "e"},
                     {"notes", r.loaded.notes},
                     {"o", verdict_of(r.check.o)},
                     {"lse", verdict_of(r.check.lse)},
                     {"rows", rows}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fdlab::cli

#include "cli/run_report.h"
#include "cli/verdict_json.h"
#include "cpu/executor.h"

namespace fdlab::cli {
namespace {

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
  const DecodePlan longest = plan_for(r.ran.method, r.ran.plan, r.loaded.problem.kv_len);
  Json tiles = Json::array();
  for (std::int64_t b = 0; b < r.loaded.problem.batch; ++b)
    tiles.push_back(plan_for(r.ran.method, r.ran.plan, r.loaded.problem.kv_len_of(b)).num_tiles());
  return {{"tile", longest.tile_size},
          {"streams", longest.num_streams},
          {"deal", name_of(longest.deal)},
          {"merge", r.ran.on_device ? r.ran.on_device->merge : name_of(longest.merge)},
          {"tiles", tiles}};
}

Json device_of(const Ran& ran) {
  if (!ran.on_device) return nullptr;
  return {{"name", ran.on_device->device},
          {"driver", ran.on_device->driver},
          {"kernel", ran.on_device->kernel},
          {"splits", ran.on_device->splits},
          {"merge", ran.on_device->merge}};
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
          {"lse_ln", json_of(row.lse_found)},
          {"lse_ln_oracle", json_of(row.lse_oracle)}};
}

}  // namespace

std::string run_json(const RunReport& r) {
  Json rows = Json::array();
  for (const RowCheck& row : r.check.rows) rows.push_back(row_of(row));
  const Json json = {{"format", "fdlab-run"},
                     {"version", 2},
                     {"shape", shape_of(r.loaded)},
                     {"scale", r.loaded.problem.scale},
                     {"k_scale", r.loaded.problem.k_scale},
                     {"v_scale", r.loaded.problem.v_scale},
                     {"rules", rules_of(r.loaded.problem.rules)},
                     {"method", name_of(r.ran.method)},
                     {"plan", plan_of(r)},
                     {"backend", r.ran.on_device ? "cuda" : "cpu"},
                     {"executor", r.ran.executor},
                     {"isa", r.ran.isa},
                     {"threads", r.ran.threads},
                     {"device", device_of(r.ran)},
                     {"out_dtype", name_of(r.options.out_dtype)},
                     {"lse_base", r.options.lse_base_2 ? "2" : "e"},
                     {"notes", r.loaded.notes},
                     {"o", json_of(r.check.o)},
                     {"lse", json_of(r.check.lse)},
                     {"rows", rows}};
  return text_of(json);
}

}  // namespace fdlab::cli

#include "lessons/scene.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/plan/plan_for.h"
#include "cpu/oracle.h"
#include "lessons/text_file.h"

namespace fdlab {
namespace {

Result<nlohmann::json> read_json(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.fault();
  nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_discarded())
    return Fault{fmt::format("{}: expected JSON, found something else", path.string())};
  return json;
}

Result<std::vector<std::string>> read_tokens(const std::filesystem::path& path) {
  const Result<nlohmann::json> json = read_json(path);
  if (!json) return json.fault();
  const bool is_list_of_strings =
      json->is_array() &&
      std::all_of(json->begin(), json->end(), [](const auto& token) { return token.is_string(); });
  if (!is_list_of_strings) return Fault{fmt::format("{}: expected a list of strings", path.string())};
  return json->get<std::vector<std::string>>();
}

/// What a lesson needs of meta.json; its other fields are for people.
struct Meta {
  double softmax_scale = 0;
  std::int64_t layers = 0;
  std::string licence;
};

Result<Meta> read_meta(const std::filesystem::path& path) {
  const Result<nlohmann::json> json = read_json(path);
  if (!json) return json.fault();
  const auto is_fine = [&](const char* name, auto test) {
    return json->contains(name) && test((*json)[name]);
  };
  const auto is_positive = [](const nlohmann::json& value) {
    return value.is_number() && value.get<double>() > 0;
  };
  if (!json->is_object() || !is_fine("softmax_scale", is_positive) || !is_fine("layers", is_positive) ||
      !is_fine("licence", [](const nlohmann::json& value) { return value.is_string(); }))
    return Fault{fmt::format(
        "{}: expected the fields softmax_scale, layers (both above 0) and licence (text)", path.string())};
  return Meta{(*json)["softmax_scale"], (*json)["layers"], (*json)["licence"]};
}

std::optional<Fault> find_fault_in_layer(const LayerData& data, const std::filesystem::path& folder) {
  const DecodeProblem& problem = data.inputs.problem;
  if (problem.batch != 1 || problem.q_len != 1)
    return Fault{fmt::format("{}: expected one decode step (batch 1, one query row), found batch {}, {} rows",
                             folder.string(), problem.batch, problem.q_len)};
  if (static_cast<std::int64_t>(data.tokens.size()) != problem.kv_len)
    return Fault{fmt::format("{}: expected one token per key ({}), found {}",
                             (folder / "tokens.json").string(), problem.kv_len, data.tokens.size())};
  return std::nullopt;
}

}  // namespace

Result<LayerData> load_layer(const std::filesystem::path& folder, std::int64_t layer) {
  const Result<Meta> meta = read_meta(folder / "meta.json");
  if (!meta) return meta.fault();
  if (layer < 0 || layer >= meta->layers)
    return Fault{
        fmt::format("{}: expected a layer from 0 to {}, found {}", folder.string(), meta->layers - 1, layer)};
  Result<std::vector<std::string>> tokens = read_tokens(folder / "tokens.json");
  if (!tokens) return tokens.fault();

  const auto file = [&](char which) {
    return (folder / fmt::format("layer{}_{}.npy", layer, which)).string();
  };
  ProblemOptions options;
  options.layout = Layout::bhnd;
  options.scale = meta->softmax_scale;
  Result<LoadedProblem> inputs = load_problem(file('q'), file('k'), file('v'), options);
  if (!inputs) return inputs.fault();

  LayerData data{std::move(*inputs), std::move(*tokens), meta->layers, meta->licence};
  if (const auto fault = find_fault_in_layer(data, folder)) return *fault;
  return data;
}

DecodePlan plan_of(const SceneSpec& spec, std::int64_t kv_len) {
  DecodePlan plan;
  plan.kv_len = kv_len;
  plan.tile_size = spec.tile_size;
  plan.num_streams = spec.num_streams.value_or(std::max<std::int64_t>(1, plan.num_tiles()));
  plan.deal = spec.deal;
  plan.merge = spec.merge;
  return plan_for(spec.method, plan, kv_len);
}

Result<TracedScene> trace_scene(const SceneSpec& spec, const std::filesystem::path& data_folder) {
  Result<LayerData> data = load_layer(data_folder / spec.data, spec.layer);
  if (!data) return data.fault();
  return trace_scene(spec, std::move(*data));
}

Result<TracedScene> trace_scene(const SceneSpec& spec, LayerData data) {
  const DecodeProblem& problem = data.inputs.problem;
  const DecodePlan plan = plan_of(spec, problem.kv_len);
  const TracedRow row{0, spec.q_head, 0};
  if (const auto fault = find_fault(problem, plan, spec.method, row)) return Fault{*fault};

  Trace trace = record(problem, plan, spec.method, row);
  const OracleRow oracle = oracle_row(problem, row.sequence, row.q_head, row.row);
  trace.set_reference({oracle.o, oracle.lse_ln});
  return TracedScene{spec, std::move(data), plan, std::move(trace)};
}

}  // namespace fdlab

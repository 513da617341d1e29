// A lesson's scene carried out: real tensors and their text, the problem, the plan, and the trace of one query head with
// the oracle's answer beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/load_problem.h"
#include "core/io/result.h"
#include "core/trace/trace.h"
#include "lessons/expression.h"
#include "lessons/lesson.h"

namespace fdlab {

/// One layer of a data set: q, k, v of one decode step and the text its keys stand for.
struct LayerData {
  LoadedProblem inputs;
  std::vector<std::string> tokens;  ///< one per key; UTF-8, blanks and line ends as they are
  std::int64_t num_layers = 0;      ///< layers the data set has
  std::string licence;
};

/// folder: lessons/data/NAME with layerL_{q,k,v}.npy, tokens.json and meta.json.
Result<LayerData> load_layer(const std::filesystem::path& folder, std::int64_t layer);

/// What can be shown of one head.
struct TracedScene {
  SceneSpec spec;  ///< with the head and layer really used
  LayerData data;
  DecodePlan plan;
  Trace trace;

  const DecodeProblem& problem() const { return data.inputs.problem; }
  ExpressionScope scope(std::int64_t step) const {
    return {trace, step, data.tokens, spec.layer, problem().head_dim};
  }
};

/// The plan of a scene for a sequence of this length.
DecodePlan plan_of(const SceneSpec& spec, std::int64_t kv_len);

/// Loads the data and records the trace of spec.q_head. Another head: another call with spec.q_head changed.
Result<TracedScene> trace_scene(const SceneSpec& spec, const std::filesystem::path& data_folder);
/// The same on data already loaded.
Result<TracedScene> trace_scene(const SceneSpec& spec, LayerData data);

}  // namespace fdlab

// A lesson is data: a folder NN-name with lesson.toml (scene, stops, gates), en.md and zh.md (every word), and formulas/
// (rendered at authoring time). The format is described in lessons/FORMAT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/io/result.h"
#include "core/plan/method.h"
#include "core/plan/plan.h"
#include "lessons/expression.h"
#include "lessons/gpu_scene_spec.h"
#include "lessons/language.h"

namespace fdlab {

/// A lesson on real tensors: one head of one layer, and the plan that computes it.
struct SceneSpec {
  std::string data;  ///< folder under lessons/data
  std::int64_t layer = 0, q_head = 0;
  std::int64_t tile_size = 32;
  std::optional<std::int64_t> num_streams;  ///< nothing: one stream per tile
  Deal deal = Deal::round_robin;
  MergeOrder merge = MergeOrder::tree;
  Method method = Method::mlo;
};

/// A known way of being wrong: what it would answer, and why it does not hold here.
struct WrongRule {
  std::string id;
  Binding answer;
  Bilingual name;   ///< a few words: "the plain mean"
  Bilingual reply;  ///< Markdown
};

/// A question asked before the answer is shown. Everything in it is evaluated at the reveal step.
struct Gate {
  Binding answer;
  double tolerance = 0;      ///< absolute
  double low = 0, high = 1;  ///< range of the input and of the number line
  Expression reveal;         ///< the step that shows the answer
  Bilingual ask, right, right_name,
      other;  ///< Markdown; `right_name` is what the right rule does, in a few words
  std::vector<WrongRule> rules;
};

/// The present value behind a term of a formula: cssId "m-a" → now.a.m
struct TermBinding {
  std::string id;
  Expression expression;
};

struct Stop {
  std::string id;
  Expression step;  ///< where the playhead goes
  Bilingual title;
  Bilingual prose;  ///< Markdown with bindings, evaluated at `step`
  std::vector<Expression> highlight;
  std::vector<TermBinding> terms;
  std::optional<Gate> gate;
  GpuSceneSpec gpu;  ///< what a GPU scene shows at this stop; not used by a trace
};

struct Lesson {
  std::string name;  ///< folder name without its number: "one-real-decode"
  std::int64_t number = 0;
  std::filesystem::path folder;
  Bilingual title;
  std::variant<SceneSpec, GpuSceneSpec> scene;  ///< what it runs on
  std::vector<Stop> stops;
};

/// One sentence names the file, the place in it, what was expected and what was found.
Result<Lesson> load_lesson(const std::filesystem::path& folder);

/// Folders of all lessons under a lessons folder, by number.
std::vector<std::filesystem::path> find_lessons(const std::filesystem::path& lessons_folder);
/// The lesson of this name ("one-real-decode", "01-one-real-decode" or "1").
Result<Lesson> load_lesson_named(const std::filesystem::path& lessons_folder, const std::string& name);

}  // namespace fdlab

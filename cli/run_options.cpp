#include "cli/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <limits>

#include "cli/cache_types.h"
#include "cli/checks.h"
#include "cpu/isa.h"

namespace fdlab::cli {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;  // far beyond any memory, and sums stay within 63 bits

template <class Names>
std::vector<std::string> list(const Names& names) {
  return {std::begin(names), std::end(names)};
}

/// An option whose text is turned into a value by `set` once it has passed `check`. `value` stands for it in the help.
template <class Set>
CLI::Option* add(CLI::App& command, const std::string& name, const std::string& value,
                 const CLI::Validator& check, const std::string& help, Set set) {
  return command.add_option_function<std::string>(name, set, help)->check(check)->type_name(value);
}

/// The same for one of a list of names.
template <class Set>
CLI::Option* add(CLI::App& command, const std::string& name, const std::vector<std::string>& names,
                 const std::string& help, Set set) {
  return add(command, name, fmt::format("{}", fmt::join(names, "|")), one_of(names), help, set);
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::vector<std::string> names_of_isas() {
  std::vector<std::string> names;
  for (const Isa& isa : available_isas()) names.push_back(isa.name);
  return names;
}

void set_splits(const std::string& text, RunOptions& o) {
  o.automatic_splits = text == "auto";
  if (o.automatic_splits) return;
  o.plan.num_streams = std::stoll(text);
  o.plan.deal = Deal::contiguous;
}

std::vector<std::string> given_of(const CLI::App& command, std::initializer_list<const char*> names) {
  std::vector<std::string> given;
  for (const char* name : names)
    if (command.count(name) > 0) given.push_back(name);
  return given;
}

/// A number for all query heads, else the name of a file.
void set_sink(std::string text, ProblemOptions& problem) {
  if (finite_number()(text).empty()) problem.rules.sinks = {number(text)};
  else problem.sink_path = text;
}

}  // namespace

void add_problem_options(CLI::App& command, RunOptions& o, Presence presence) {
  const bool required = presence == Presence::required;
  command
      .add_option("--q", o.q_path,
                  "queries: (q_heads, head_dim), (batch, q_heads, head_dim) or "
                  "(batch, q_heads, q_len, head_dim)")
      ->required(required)
      ->check(file_name())
      ->type_name("FILE");
  command.add_option("--k", o.k_path, "keys: (kv_heads, kv_len, head_dim) or with batch in front")
      ->required(required)
      ->check(file_name())
      ->type_name("FILE");
  command.add_option("--v", o.v_path, "values: like the keys, with their own last axis")
      ->required(required)
      ->check(file_name())
      ->type_name("FILE");
  add(command, "--layout", {"bhnd", "bnhd"}, "order of heads (h) and keys (n) in k and v",
      [&](const std::string& text) { o.problem.layout = layout_from_name(text); });
  add(command, "--scale", "X", finite_number(), "softmax scale; 1/sqrt(head_dim) if not given",
      [&](const std::string& text) { o.problem.scale = number(text); });
  command.add_option("--kv-lens", o.problem.kv_lens, "keys in use, one number per sequence: 600,1,257")
      ->delimiter(',')
      ->type_name("N,N,…")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
  add(command, "--kv-dtype", {"bf16", "e4m3"}, "what raw integer files hold",
      [&](const std::string& text) { o.problem.kv_dtype = cache_type_named(text); });
  add(command, "--k-dtype", names_of_cache_types(),
      "what the file of keys holds, where --kv-dtype is not right for both",
      [&](const std::string& text) { o.problem.k_dtype = cache_type_named(text); });
  add(command, "--v-dtype", names_of_cache_types(), "what the file of values holds, likewise",
      [&](const std::string& text) { o.problem.v_dtype = cache_type_named(text); });
  add(command, "--k-scale", "X", positive_number(), "what stored keys are multiplied by (default 1)",
      [&](const std::string& text) { o.problem.k_scale = number(text); });
  add(command, "--v-scale", "X", positive_number(), "what stored values are multiplied by (default 1)",
      [&](const std::string& text) { o.problem.v_scale = number(text); });
}

void add_score_options(CLI::App& command, RunOptions& o) {
  command.add_flag("--causal", o.problem.rules.causal,
                   "the last query row sees every key, the one before one less");
  add(command, "--window", "KEYS", whole_number(1, kMost),
      "see the last KEYS keys only, the query's own among them",
      [&](const std::string& text) { o.problem.rules.window = std::stoll(text); });
  add(command, "--softcap", "C", positive_number(), "scores become C tanh(score / C)",
      [&](const std::string& text) { o.problem.rules.softcap = number(text); });
  command
      .add_option("--alibi", o.problem.alibi_path,
                  "ALiBi slopes (q_heads): adds slope (key - query position)")
      ->check(file_name())
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--sink", [&](const std::string& text) { set_sink(text, o.problem); },
          "one more logit per row, unscaled, of value 0: a number, or a file (q_heads)")
      ->check(finite_number_or_file())
      ->type_name("X|FILE");
  command.add_flag(
      "--lse-without-sink", [&](std::int64_t) { o.problem.rules.lse_includes_sink = false; },
      "leave the sink out of the log-sum-exp");
}

void add_plan_options(CLI::App& command, RunOptions& o) {
  CLI::Option* method = add(command, "--method", list(kMethodNames),
                            "how the row is computed (default lse; on a GPU the production kernel)",
                            [&](const std::string& text) { o.method = *method_from_name(text); });
  command.add_option("--kernel", o.kernel, "kernel of the CUDA ladder (default: the production kernel)")
      ->type_name("NAME")
      ->check(kernel_name())
      ->excludes(method);
  add(command, "--tile", "KEYS", whole_number(1, kMost), "keys per tile (default 256)",
      [&](const std::string& text) { o.plan.tile_size = std::stoll(text); });
  CLI::Option* streams = add(command, "--streams", "N", whole_number(1, kMost), "accumulators (default 4)",
                             [&](const std::string& text) { o.plan.num_streams = std::stoll(text); });
  CLI::Option* deal =
      add(command, "--deal", {"round-robin", "contiguous", "balanced"}, "how tiles go to streams",
          [&](const std::string& text) { o.plan.deal = *deal_from_name(text); });
  add(command, "--splits", "N|auto", whole_number_or_auto(1, kMost),
      "streams of neighbouring tiles; auto: as the shape suggests",
      [&](const std::string& text) { set_splits(text, o); })
      ->excludes(streams)
      ->excludes(deal);
  CLI::Option* merge =
      add(command, "--merge", {"sequential", "tree", "two-step", "flat"}, "how the streams become one",
          [&](const std::string& text) { o.plan.merge = *merge_order_from_name(text); });
  add(command, "--merge-tree", "FILE", file_name(),
      "merge the streams along the tree in this file: nested lists of two, see core/io/FORMATS.md",
      [&](const std::string& text) { o.merge_tree_path = text; })
      ->excludes(merge);
  add(command, "--isa", names_of_isas(), "instruction set of the fast executor (default: the best)",
      [&](const std::string& text) { o.isa = text; });
  add(command, "--backend", {"cpu", "cuda", "auto"}, "where it runs (default auto)",
      [&](const std::string& text) { o.backend = text; });
}

std::vector<std::string> given_plan_options(const CLI::App& command) {
  return given_of(command, {"--method", "--kernel", "--tile", "--streams", "--deal", "--splits", "--merge",
                            "--merge-tree", "--isa"});
}

std::vector<std::string> given_problem_options(const CLI::App& command) {
  return given_of(
      command, {"--layout", "--scale", "--kv-lens", "--kv-dtype", "--k-dtype", "--v-dtype", "--k-scale",
                "--v-scale", "--causal", "--window", "--softcap", "--alibi", "--sink", "--lse-without-sink"});
}

std::optional<Fault> check_sink_options(const ProblemOptions& problem) {
  if (problem.rules.lse_includes_sink || !problem.rules.sinks.empty() || !problem.sink_path.empty())
    return std::nullopt;
  return Fault{"expected --sink with --lse-without-sink, found none"};
}

void add_output_options(CLI::App& command, RunOptions& o) {
  command.add_option("--out-o", o.o_path, "write the output here (.npy)")
      ->check(file_name())
      ->type_name("FILE");
  command.add_option("--out-lse", o.lse_path, "write the log-sum-exp here (.npy, float32)")
      ->check(file_name())
      ->type_name("FILE");
  add(command, "--out-dtype", {"f32", "f16", "bf16"}, "number type of o (default f32)",
      [&](const std::string& text) {
        o.out_dtype = text == "f16" ? DType::f16 : text == "bf16" ? DType::bf16 : DType::f32;
      });
  add(command, "--lse-base", {"e", "2"}, "base of the log-sum-exp (default e)",
      [&](const std::string& text) { o.lse_base_2 = text == "2"; });
  command.add_flag(
      "!--no-check", o.checks,
      "do not hold the result against the oracle, which takes far longer than the run on long inputs");
  command.add_flag("--json", o.json, "print one JSON object instead of a table");
}

}  // namespace fdlab::cli

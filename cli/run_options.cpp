#include "cli/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <limits>

#include "cli/checks.h"

namespace fdlab::cli {
namespace {

constexpr std::int64_t kMostTiles = std::int64_t{1}
                                    << 40;  // far beyond any memory, and sums stay within 63 bits

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

}  // namespace

void add_problem_options(CLI::App& command, RunOptions& o) {
  command
      .add_option("--q", o.q_path,
                  "queries: (q_heads, head_dim), (batch, q_heads, head_dim) or "
                  "(batch, q_heads, q_len, head_dim)")
      ->required()
      ->type_name("FILE");
  command.add_option("--k", o.k_path, "keys: (kv_heads, kv_len, head_dim) or with batch in front")
      ->required()
      ->type_name("FILE");
  command.add_option("--v", o.v_path, "values: like the keys, with their own last axis")
      ->required()
      ->type_name("FILE");
  add(command, "--layout", {"bhnd", "bnhd"}, "order of heads (h) and keys (n) in k and v",
      [&](const std::string& text) { o.problem.layout = layout_from_name(text); });
  add(command, "--scale", "X", finite_number(), "softmax scale; 1/sqrt(head_dim) if not given",
      [&](const std::string& text) { o.problem.scale = std::strtod(text.c_str(), nullptr); });
  command.add_option("--kv-lens", o.problem.kv_lens, "keys in use, one number per sequence: 600,1,257")
      ->delimiter(',')
      ->type_name("N,N,…")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
  add(command, "--kv-dtype", {"bf16", "e4m3"}, "what raw integer files hold",
      [&](const std::string& text) { o.problem.kv_dtype = text == "bf16" ? DType::bf16 : DType::e4m3; });
}

void add_plan_options(CLI::App& command, RunOptions& o) {
  add(command, "--method", list(kMethodNames), "how the row is computed (default lse)",
      [&](const std::string& text) { o.method = *method_from_name(text); });
  add(command, "--tile", "KEYS", whole_number(1, kMostTiles), "keys per tile (default 256)",
      [&](const std::string& text) { o.plan.tile_size = std::stoll(text); });
  CLI::Option* streams =
      add(command, "--streams", "N", whole_number(1, kMostTiles), "accumulators (default 4)",
          [&](const std::string& text) { o.plan.num_streams = std::stoll(text); });
  CLI::Option* deal =
      add(command, "--deal", {"round-robin", "contiguous", "balanced"}, "how tiles go to streams",
          [&](const std::string& text) { o.plan.deal = *deal_from_name(text); });
  add(command, "--splits", "N", whole_number(1, kMostTiles), "streams of neighbouring tiles",
      [&](const std::string& text) {
        o.plan.num_streams = std::stoll(text);
        o.plan.deal = Deal::contiguous;
      })
      ->excludes(streams)
      ->excludes(deal);
  add(command, "--merge", {"sequential", "tree", "two-step", "flat"}, "how the streams become one",
      [&](const std::string& text) { o.plan.merge = *merge_order_from_name(text); });
  add(command, "--backend", {"cpu", "cuda", "auto"}, "where it runs (default auto)",
      [&](const std::string& text) { o.backend = text; });
}

void add_output_options(CLI::App& command, RunOptions& o) {
  command.add_option("--out-o", o.o_path, "write the output here (.npy)")->type_name("FILE");
  command.add_option("--out-lse", o.lse_path, "write the log-sum-exp here (.npy, float32)")
      ->type_name("FILE");
  add(command, "--out-dtype", {"f32", "f16", "bf16"}, "number type of o (default f32)",
      [&](const std::string& text) {
        o.out_dtype = text == "f16" ? DType::f16 : text == "bf16" ? DType::bf16 : DType::f32;
      });
  add(command, "--lse-base", {"e", "2"}, "base of the log-sum-exp (default e)",
      [&](const std::string& text) { o.lse_base_2 = text == "2"; });
  command.add_flag("--json", o.json, "print one JSON object instead of a table");
}

}  // namespace fdlab::cli

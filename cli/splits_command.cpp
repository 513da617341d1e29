// fdlab splits: what each public split rule takes, and why.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "core/io/counted.h"
#include "core/sim/split_rules.h"

namespace fdlab::cli {
namespace {

constexpr int kVersion = 2;
constexpr std::int64_t kMost = std::int64_t{1} << 31;

void print_json(const SplitQuestion& q) {
  nlohmann::json rules = nlohmann::json::array(), candidates = nlohmann::json::array();
  for (const SplitRuleAnswer& r : all_split_rules(q))
    rules.push_back({{"rule", r.name}, {"splits", r.splits}, {"slots", r.slots}, {"why", r.why}});
  for (const SplitCandidate& c : split_candidates(q))
    candidates.push_back({{"splits", c.splits},
                          {"blocks", c.blocks},
                          {"waves", c.waves},
                          {"efficiency", c.efficiency},
                          {"kv_blocks_per_split", c.blocks_per_split},
                          {"eligible", c.eligible},
                          {"kv_blocks_of_longest_sm", c.longest_sm}});
  const nlohmann::json object{{"format", "fdlab-splits"}, {"version", kVersion},
                              {"heads", q.heads},         {"sms", q.sms},
                              {"kv_blocks", q.blocks},    {"kv_block_bytes", q.block_bytes},
                              {"rules", rules},           {"candidates", candidates}};
  fmt::print("{}\n", object.dump(2));
}

/// "FlashAttention-2 FlashInfer" for the rules that take this many splits.
std::string takers(const std::vector<SplitRuleAnswer>& rules, std::int64_t splits) {
  std::string names;
  for (const SplitRuleAnswer& r : rules)
    if (r.splits == splits) names += (names.empty() ? "" : ", ") + std::string(r.name);
  return names;
}

void print_table(const SplitQuestion& q) {
  const std::vector<SplitRuleAnswer> rules = all_split_rules(q);
  fmt::print("{} on {}, {}\n\n", counted(q.heads, "head"), counted(q.sms, "SM"),
             counted(q.blocks, "KV block"));
  for (const SplitRuleAnswer& r : rules)
    fmt::print("  {:<17}{:>4} {:<6}   {}\n", r.name, r.splits, r.splits == 1 ? "split" : "splits", r.why);
  fmt::print("\n  splits  blocks  waves  slots filled  KV blocks a split  longest SM  taken by\n");
  for (const SplitCandidate& c : split_candidates(q)) {
    const std::string names = takers(rules, c.splits);
    if (!c.eligible && names.empty()) continue;
    fmt::print("  {:>6}  {:>6}  {:>5}  {:>11.1f}%  {:>17}  {:>10}  {}{}\n", c.splits, c.blocks, c.waves,
               100 * c.efficiency, c.blocks_per_split, c.longest_sm, names,
               c.eligible ? "" : " (its last split may be empty)");
  }
  fmt::print(
      "\nCounts that only add an empty split are left out. Slots filled is not time: fdlab simulate gives "
      "that.\n");
}

}  // namespace

void add_splits(CLI::App& app, int& exit_code) {
  struct Options {
    SplitQuestion question;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("splits", "say what each public split rule takes, and why");
  const auto count = [&](const char* name, std::int64_t& to, const char* help) {
    return command->add_option(name, to, help)->check(whole_number(1, kMost))->type_name("N");
  };
  SplitQuestion& question = options->question;
  count("--heads", question.heads, "blocks without splits: sequences × KV heads × row tiles")->required();
  count("--sms", question.sms, "SMs of the GPU")->required();
  count("--blocks", question.blocks, "KV blocks (tiles) of one sequence")->required();
  count("--block-bytes", question.block_bytes, "K and V of one KV block of one head; ours looks at them")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    if (const auto fault = find_fault(options->question)) {
      exit_code = fail(kBadInput, *fault);
      return;
    }
    options->json ? print_json(options->question) : print_table(options->question);
  });
}

}  // namespace fdlab::cli

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "cli/run_report.h"
#include "core/io/counted.h"
#include "cpu/executor.h"
#include "cpu/host.h"

namespace fdlab::cli {
namespace {

constexpr std::size_t kMostRows = 40;  // what a terminal shows; --json has all

std::string keys_of(const DecodeProblem& p) {
  if (p.kv_lens.empty() || p.kv_lens.size() > 16) return counted(p.kv_len, "key");
  return fmt::format("{} of {}", fmt::join(p.kv_lens, ", "), counted(p.kv_len, "key"));
}

std::string rules_line(const ScoreRules& rules) {
  std::vector<std::string> parts;
  if (rules.causal) parts.push_back("causal, bottom-right");
  if (rules.window > 0) parts.push_back(fmt::format("window of {}", counted(rules.window, "key")));
  if (rules.softcap > 0) parts.push_back(fmt::format("softcap {:.6g}", rules.softcap));
  if (!rules.alibi_slopes.empty()) parts.push_back("ALiBi, not scaled");
  if (!rules.sinks.empty()) parts.push_back(rules.lse_includes_sink ? "sink, in LSE" : "sink, not in LSE");
  return parts.empty() ? "" : fmt::format("rules     {}\n", fmt::join(parts, " · "));
}

std::string backend_text(const Ran& ran) {
  if (ran.on_device)
    return fmt::format("cuda · {} · driver {} · {}", ran.on_device->device, ran.on_device->driver,
                       ran.on_device->kernel);
  if (ran.executor == "fast")
    return fmt::format("cpu · fast executor · {} · {} of {} threads", ran.isa, ran.threads, num_threads());
  return fmt::format("cpu · plain executor · {}", ran.reason);
}

std::string merge_name(const Ran& ran, const DecodePlan& plan) {
  return ran.on_device ? ran.on_device->merge : name_of(plan.merge);
}

std::string head_lines(const RunReport& r) {
  const DecodeProblem& p = r.loaded.problem;
  const DecodePlan plan = plan_for(r.ran.method, r.ran.plan, p.kv_len);
  std::string text;
  text +=
      fmt::format("problem   batch {} · {} on {} · {} · head_dim {}", p.batch,
                  counted(p.q_heads, "query head"), counted(p.kv_heads, "KV head"), keys_of(p), p.head_dim);
  if (p.v_head_dim != p.head_dim) text += fmt::format(" (V {})", p.v_head_dim);
  if (p.q_len != 1) text += " · " + counted(p.q_len, "query row");
  text += fmt::format("\n          q {}, k {}, v {} · {} · scale {:.6g}\n", name_of(p.q.type),
                      name_of(p.k.type), name_of(p.v.type), name_of(r.loaded.layout), p.scale);
  text += rules_line(p.rules);
  text += fmt::format("plan      {} · {} of {} · {}, {} · merge {}\n", name_of(r.ran.method),
                      counted(plan.num_tiles(), "tile"), counted(plan.tile_size, "key"),
                      counted(plan.num_streams, r.ran.on_device ? "split" : "stream"), name_of(plan.deal),
                      merge_name(r.ran, plan));
  text += fmt::format("backend   {}{}\n", backend_text(r.ran),
                      r.ran.backend_note.empty() ? "" : " · " + r.ran.backend_note);
  for (const std::string& note : r.loaded.notes) text += fmt::format("note      {}\n", note);
  return text;
}

std::string row_lines(const RunReport& r) {
  std::string text = fmt::format("\n{:>8}  {:>6}  {:>5}  {:>14}  {:>12}  {:>11}\n", "sequence", "q_head",
                                 "row", "LSE (ln)", "LSE error", "o max error");
  for (const RowCheck& row : std::span(r.check.rows).first(std::min(kMostRows, r.check.rows.size()))) {
    const double lse_error = row.lse_found == row.lse_oracle ? 0 : row.lse_found - row.lse_oracle;
    text += fmt::format("{:>8}  {:>6}  {:>5}  {:>14.6f}  {:>12.2e}  {:>11.2e}{}\n", row.sequence, row.q_head,
                        row.row, row.lse_found, lse_error, row.o.max_abs,
                        row.o.nan_found ? fmt::format("  {} NaN", row.o.nan_found) : "");
  }
  if (r.check.rows.size() > kMostRows)
    text +=
        fmt::format("{:>8}  {} more rows: --json prints them all\n", "…", r.check.rows.size() - kMostRows);
  return text;
}

std::string verdict_line(const char* what, const Verdict& v) {
  if (v.outcome == Outcome::nothing_compared)
    return fmt::format("{:<4}0 elements: nothing to compute or to compare\n", what);
  if (v.outcome == Outcome::passed)
    return fmt::format("{:<4}equal to the float64 oracle within rounding: largest error {:.2e}\n", what,
                       v.difference.max_abs);
  return fmt::format(
      "{:<4}DIFFERS at element {}: found {:.9g}, oracle {:.9g}, limit {:.2e}; {} of {} not comparable\n",
      what, v.index, v.found, v.expected, v.limit, v.difference.incomparable, v.difference.compared);
}

}  // namespace

std::string run_table(const RunReport& r) {
  if (!r.options.checks) return head_lines(r) + "\nnot held against the float64 oracle\n";
  return head_lines(r) + row_lines(r) + "\n" + verdict_line("o", r.check.o) +
         verdict_line("lse", r.check.lse);
}

}  // namespace fdlab::cli

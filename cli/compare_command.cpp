// fdlab compare: two outputs of one problem held against each other, or each against the oracle where the problem is given.
#include <cmath>
#include <limits>
#include <memory>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/compare_report.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "core/compare/lse_reading.h"
#include "core/io/printable.h"
#include "core/math/exp_base.h"
#include "cpu/check.h"

namespace fdlab::cli {
namespace {

struct CompareOptions {
  std::string a, b;  ///< files or folders
  SidePaths found, expected;
  RunOptions problem;
  std::optional<double> rtol, atol;
  std::vector<std::string> given;  ///< options that say more of a problem
  bool equal_nan = false, json = false;
  bool found_base_2 = false, expected_base_2 = false;
};

/// The two sides, however they were named.
std::optional<Fault> complete_sides(CompareOptions& o) {
  if (!o.a.empty()) o.found = side_paths(o.a);
  if (!o.b.empty()) o.expected = side_paths(o.b);
  if (!o.found.given()) return Fault{"expected an output to compare (A, --o or --lse), found none"};
  const RunOptions& p = o.problem;
  const int files = !p.q_path.empty() + !p.k_path.empty() + !p.v_path.empty();
  if (files != 0 && files != 3) return Fault{"expected --q, --k and --v together, found only some of them"};
  if (files == 0 && !o.given.empty())
    return Fault{fmt::format("expected the problem (--q --k --v) with {}, found none", o.given.front())};
  if (const auto fault = check_sink_options(p.problem)) return fault;
  if (files == 3 && (o.rtol || o.atol || o.equal_nan))
    return Fault{"expected no tolerance where the problem is given, which sets its own, found one"};
  if (files == 0 && !o.expected.given())
    return Fault{
        "expected what to compare with (B, --ref, --ref-lse, or the problem: --q --k --v), found none"};
  return std::nullopt;
}

std::vector<double> lse_values(const Tensor& lse, bool base_2) {
  std::vector<double> values = values_of(lse);
  if (base_2)
    for (double& x : values) x /= kLog2E;
  return values;
}

ComparedPart part_of(const char* what, const Tensor& found, std::string expected) {
  return {what, printable(found.name), printable(expected), found.shape, found.type, {}, {}, {}};
}

std::optional<Fault> check_shape(const Tensor& found, const std::vector<std::int64_t>& shape,
                                 const std::string& of) {
  if (found.shape == shape) return std::nullopt;
  return Fault{fmt::format("{}: expected the shape {} of {}, found {}", printable(found.name),
                           fdlab::text_of(shape), printable(of), printable(fdlab::text_of(found.shape), 80))};
}

/// Finds the conventions under which a failed LSE agrees after all.
void add_readings(ComparedPart& part, const std::vector<double>& found, const std::vector<double>& expected,
                  const std::function<bool(std::span<const double>)>& passes) {
  if (part.verdict.outcome != Outcome::failed) return;
  if (const auto reading = find_reading(found, expected, passes)) part.readings = text_of(*reading);
}

/// Without the problem: by tolerance.
std::optional<Fault> compare_pair(const CompareOptions& o, const Side& a, const Side& b,
                                  CompareReport& report) {
  const auto tolerance_of = [&](const Tensor& x, const Tensor& y) {
    const Tolerance usual = default_tolerance(x.type, y.type);
    return Tolerance{o.rtol.value_or(usual.relative), o.atol.value_or(usual.absolute), o.equal_nan};
  };
  if (a.o && b.o) {
    if (const auto fault = check_shape(*a.o, b.o->shape, b.o->name)) return fault;
    report.tolerance = tolerance_of(*a.o, *b.o);
    ComparedPart part = part_of("o", *a.o, b.o->name);
    part.tolerance = report.tolerance;
    part.verdict = judge_within(values_of(*a.o), values_of(*b.o), a.o->type, report.tolerance);
    report.parts.push_back(part);
  }
  if (a.lse && b.lse) {
    if (const auto fault = check_shape(*a.lse, b.lse->shape, b.lse->name)) return fault;
    const Tolerance tolerance = tolerance_of(*a.lse, *b.lse);
    if (report.parts.empty()) report.tolerance = tolerance;
    const std::vector<double> found = lse_values(*a.lse, o.found_base_2),
                              expected = lse_values(*b.lse, o.expected_base_2);
    ComparedPart part = part_of("lse", *a.lse, b.lse->name);
    part.tolerance = tolerance;
    part.verdict = judge_within(found, expected, a.lse->type, tolerance);
    add_readings(part, found, expected, [&](std::span<const double> read) {
      return judge_within(read, expected, a.lse->type, tolerance).outcome == Outcome::passed;
    });
    report.parts.push_back(part);
  }
  if (report.parts.empty())
    return Fault{"expected two outputs or two log-sum-exps to compare, found one of each"};
  if (a.o.has_value() != b.o.has_value())
    report.notes.push_back("o stands on one side only and was not compared");
  if (a.lse.has_value() != b.lse.has_value())
    report.notes.push_back("lse stands on one side only and was not compared");
  return std::nullopt;
}

std::vector<float> narrowed(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// With the problem: by the rule that judges every kernel.
std::optional<Fault> compare_with_oracle(const LoadedProblem& loaded, const Side& side, bool base_2,
                                         CompareReport& report) {
  if (side.o)
    if (const auto fault = check_shape(*side.o, loaded.o_shape, "this problem's o")) return fault;
  if (side.lse)
    if (const auto fault = check_shape(*side.lse, loaded.lse_shape, "this problem's lse")) return fault;
  const DecodeProblem& p = loaded.problem;
  const auto rows = static_cast<std::size_t>(p.batch * p.q_heads * p.q_len);
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> o =
      side.o ? values_of(*side.o)
             : std::vector<double>(rows * static_cast<std::size_t>(p.v_head_dim), kAbsent);
  const std::vector<double> lse =
      side.lse ? lse_values(*side.lse, base_2) : std::vector<double>(rows, kAbsent);
  const DType type = side.o ? side.o->type : DType::f32;
  const auto check_of = [&](std::span<const double> of_lse) {
    Progress progress("checking against the oracle");
    return check_against_oracle(p, narrowed(o), {of_lse.begin(), of_lse.end()}, type,
                                [&](double share) { progress.show(share); });
  };
  const Check check = check_of(lse);
  if (side.o) {
    report.parts.push_back(part_of("o", *side.o, "oracle"));
    report.parts.back().verdict = check.o;
  }
  if (side.lse) {
    ComparedPart part = part_of("lse", *side.lse, "oracle");
    part.verdict = check.lse;
    std::vector<double> expected;
    for (const RowCheck& row : check.rows) expected.push_back(row.lse_oracle);
    add_readings(part, lse, expected,
                 [&](std::span<const double> read) { return check_of(read).lse.outcome == Outcome::passed; });
    report.parts.push_back(part);
  }
  return std::nullopt;
}

/// Fills the report, or says what is wrong with the input.
std::optional<Fault> compare_all(const CompareOptions& o, CompareReport& report) {
  const Result<Side> a = read_side(o.found), b = read_side(o.expected);
  if (!a) return a.fault();
  if (!b) return b.fault();
  if (o.problem.q_path.empty()) return compare_pair(o, *a, *b, report);

  const RunOptions& p = o.problem;
  const Result<LoadedProblem> loaded = load_problem(p.q_path, p.k_path, p.v_path, p.problem);
  if (!loaded) return loaded.fault();
  report.by_oracle = true;
  report.notes = loaded->notes;
  if (const auto fault = compare_with_oracle(*loaded, *a, o.found_base_2, report)) return fault;
  return compare_with_oracle(*loaded, *b, o.expected_base_2, report);
}

int compare(CompareOptions o) {
  if (const auto fault = complete_sides(o)) return fail(kBadInput, fault->sentence);
  CompareReport report;
  if (const auto fault = compare_all(o, report)) return fail(kBadInput, fault->sentence);
  fmt::print("{}", o.json ? compare_json(report) : compare_text(report));
  return report.equal() ? kDone : kDiffers;
}

void add_sides(CLI::App& command, CompareOptions& o) {
  CLI::Option* a = command.add_option("A", o.a, "an output: a .npy file, or a folder with o.npy and lse.npy");
  CLI::Option* b = command.add_option("B", o.b, "what it is held against, likewise");
  command.add_option("--o", o.found.o_path, "A's o, by name")->type_name("FILE")->excludes(a);
  command.add_option("--lse", o.found.lse_path, "A's log-sum-exp")->type_name("FILE")->excludes(a);
  command.add_option("--ref", o.expected.o_path, "B's o")->type_name("FILE")->excludes(b);
  command.add_option("--ref-lse", o.expected.lse_path, "B's log-sum-exp")->type_name("FILE")->excludes(b);
}

void add_rules(CLI::App& command, CompareOptions& o) {
  const auto set_number = [](std::optional<double>& to) {
    return [&to](const std::string& text) { to = std::stod(text); };
  };
  const auto set_base = [](bool& to) { return [&to](const std::string& text) { to = text == "2"; }; };
  command
      .add_option_function<std::string>("--rtol", set_number(o.rtol), "relative tolerance (default: by type)")
      ->check(non_negative_number())
      ->type_name("X");
  command.add_option_function<std::string>("--atol", set_number(o.atol), "absolute tolerance (default 1e-5)")
      ->check(non_negative_number())
      ->type_name("X");
  command.add_flag("--equal-nan", o.equal_nan, "NaN where both are NaN is no difference");
  command
      .add_option_function<std::string>("--lse-base", set_base(o.found_base_2),
                                        "base of A's log-sum-exp (default e)")
      ->check(one_of({"e", "2"}))
      ->type_name("e|2");
  command
      .add_option_function<std::string>("--ref-lse-base", set_base(o.expected_base_2),
                                        "base of B's log-sum-exp (default e)")
      ->check(one_of({"e", "2"}))
      ->type_name("e|2");
  command.add_flag("--json", o.json, "print one JSON object instead of lines");
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("compare", "hold an output against another, or against the oracle");
  const auto options = std::make_shared<CompareOptions>();
  add_sides(*command, *options);
  add_problem_options(*command, options->problem, Presence::optional);
  add_score_options(*command, options->problem);
  add_rules(*command, *options);
  command->callback([command, options, &exit_code] {
    options->given = given_problem_options(*command);
    exit_code = compare(*options);
  });
}

}  // namespace fdlab::cli

// fdlab run: one decode problem from files, by a chosen method and plan, checked against the oracle.
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/run_report.h"
#include "core/io/load_merge_tree.h"
#include "core/io/npy.h"
#include "core/math/exp_base.h"
#include "core/problem/round_to.h"
#include "cpu/fast_executor.h"

namespace fdlab::cli {
namespace {

/// Outputs may not take the place of each other or of an input.
std::optional<Fault> check_output_paths(const RunOptions& o) {
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code error;
    const auto place = [&](const std::string& path) {
      return std::filesystem::weakly_canonical(output_place(path), error);
    };
    return place(a) == place(b);
  };
  for (const std::string* output : {&o.o_path, &o.lse_path}) {
    if (output->empty()) continue;
    for (const std::string* input : {&o.q_path, &o.k_path, &o.v_path})
      if (same(*output, *input)) return Fault{*output + ": expected an output that is no input, found both"};
  }
  if (!o.o_path.empty() && !o.lse_path.empty() && same(o.o_path, o.lse_path))
    return Fault{o.o_path + ": expected two files for o and lse, found one"};
  return std::nullopt;
}

/// Writes what was asked for: all of it, or nothing.
std::optional<Fault> write_outputs(const RunOptions& o, const LoadedProblem& loaded,
                                   const DecodeOutput& output) {
  std::vector<float> lse = output.lse_ln;
  if (o.lse_base_2)
    for (float& value : lse) value = static_cast<float>(value * kLog2E);
  const Tensor o_tensor = make_tensor("o", loaded.o_shape, o.out_dtype, output.o);
  const Tensor lse_tensor = make_tensor("lse", loaded.lse_shape, DType::f32, lse);

  std::vector<StagedFile> staged;
  for (const auto& [path, tensor] : {std::pair{&o.o_path, &o_tensor}, {&o.lse_path, &lse_tensor}}) {
    if (path->empty()) continue;
    Result<StagedFile> file = stage_npy(*path, *tensor);
    if (!file) return file.fault();
    staged.push_back(std::move(*file));
  }
  for (StagedFile& file : staged)
    if (const auto fault = file.commit()) return fault;
  return std::nullopt;
}

/// Puts the tree of --merge-tree into the plan. It has as many streams as the plan, which follows it if nothing else said
/// how many.
std::optional<Fault> read_merge_tree(RunOptions& o) {
  if (o.merge_tree_path.empty()) return std::nullopt;
  if (o.method == Method::standard)
    return Fault{"expected a method whose streams merge with --merge-tree, found standard"};
  Result<GivenTree> tree = load_merge_tree(o.merge_tree_path);
  if (!tree) return tree.fault();
  if (!o.gives("--streams") && !o.gives("--splits")) o.plan.num_streams = tree->leaves();
  o.plan.merge = std::move(*tree);
  return std::nullopt;
}

/// As it was asked for; automatic splits leave tile and merge to whoever gives them.
DecodePlan plan_of(const RunOptions& o, const DecodeProblem& problem) {
  if (!o.automatic_splits) return o.plan;
  DecodePlan plan = automatic_plan(problem);
  if (o.gives("--tile")) plan.tile_size = o.plan.tile_size;
  if (o.gives("--merge") || o.gives("--merge-tree")) plan.merge = o.plan.merge;
  return plan;
}

/// The fast executor where it can, else the plain one.
Result<Ran> run_on_cpu(const RunOptions& o, const DecodeProblem& problem) {
  Ran ran;
  ran.method = o.method;
  ran.plan = plan_of(o, problem);
  if (const auto fault = find_fault(ran.plan)) return Fault{*fault};
  if (const auto reason = fault_for_fast(problem, o.method)) {
    ran.output = decode_by_plan(problem, o.method, ran.plan);
    ran.executor = "plain", ran.reason = *reason;
    return ran;
  }
  const Isa isa = o.isa.empty() ? available_isas().front() : *isa_from_name(o.isa);
  FastRun fast = decode_fast(problem, o.method, ran.plan, isa);
  ran.output = std::move(fast.output);
  ran.executor = "fast", ran.isa = isa.name, ran.threads = fast.threads;
  return ran;
}

/// On the device if there is one that takes all that was asked for, else on the CPU, with the reason.
Result<Ran> run_where_it_can(const RunOptions& o, const DecodeProblem& problem) {
  std::string reason;
  try {
    Result<Ran> on_cuda = run_on_cuda(o, problem);
    if (on_cuda) return std::move(*on_cuda);
    reason = on_cuda.fault().sentence;
  } catch (const std::runtime_error& failure) {
    reason = failure.what();
  }
  Result<Ran> ran = run_on_cpu(o, problem);
  if (ran) ran->backend_note = reason;
  return ran;
}

Result<Ran> compute(const RunOptions& o, const DecodeProblem& problem) {
  if (o.backend == "cuda") return run_on_cuda(o, problem);
  if (o.backend == "cpu") return run_on_cpu(o, problem);
  return run_where_it_can(o, problem);
}

/// In float64, row by row: on long inputs it takes longer than the run.
Check checked(const DecodeProblem& problem, const DecodeOutput& output, DType type) {
  Progress progress("checking against the oracle");
  return check_against_oracle(problem, output.o, output.lse_ln, type,
                              [&](double share) { progress.show(share); });
}

int run(RunOptions o) {
  if (!o.kernel.empty() && o.backend == "cpu")
    return fail(kBadInput, "expected --backend cuda with --kernel, found cpu");
  if (!o.kernel.empty()) o.backend = "cuda";
  if (o.backend == "cuda")
    if (const CudaState cuda = cuda_state(); !cuda.available)
      return fail(kNotHere, "expected a CUDA device for --backend cuda, found " + cuda.text);
  if (const auto fault = check_sink_options(o.problem)) return fail(kBadInput, fault->sentence);
  if (const auto fault = read_merge_tree(o)) return fail(kBadInput, fault->sentence);
  if (const auto fault = check_output_paths(o)) return fail(kBadInput, fault->sentence);
  const Result<LoadedProblem> loaded = load_problem(o.q_path, o.k_path, o.v_path, o.problem);
  if (!loaded) return fail(kBadInput, loaded.fault().sentence);

  Result<Ran> ran = compute(o, loaded->problem);
  if (!ran) return fail(kBadInput, ran.fault().sentence);
  DecodeOutput& output = ran->output;
  for (float& x : output.o) x = static_cast<float>(round_to(o.out_dtype, x));
  const Check check = o.checks ? checked(loaded->problem, output, o.out_dtype) : Check();
  if (const auto fault = write_outputs(o, *loaded, output)) return fail(kBadInput, fault->sentence);

  const RunReport report{o, *ran, *loaded, check};
  fmt::print("{}", o.json ? run_json(report) : run_table(report));
  return check.failed() ? kDiffers : kDone;  // nothing to compute was done
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "compute one decode problem and check it against the oracle");
  const auto options = std::make_shared<RunOptions>();
  add_problem_options(*command, *options);
  add_score_options(*command, *options);
  add_plan_options(*command, *options);
  add_output_options(*command, *options);
  command->callback([command, options, &exit_code] {
    options->given = given_plan_options(*command);
    exit_code = run(*options);
  });
}

}  // namespace fdlab::cli

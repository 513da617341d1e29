// fdlab run: one decode problem from files, by a chosen method and plan, checked against the oracle.
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/cuda_state.h"
#include "cli/exit_code.h"
#include "cli/run_options.h"
#include "cli/run_report.h"
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
    return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
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

/// The fast executor where it can, else the plain one.
RunOnCpu decode(const RunOptions& o, const DecodeProblem& problem) {
  if (const auto reason = fault_for_fast(problem, o.method))
    return {decode_by_plan(problem, o.method, o.plan), "plain", *reason, "", 1};
  const Isa isa = o.isa.empty() ? available_isas().front() : *isa_from_name(o.isa);
  FastRun run = decode_fast(problem, o.method, o.plan, isa);
  return {std::move(run.output), "fast", "", isa.name, run.threads};
}

int run(RunOptions o) {
  if (o.backend == "cuda") {
    const CudaState cuda = cuda_state();
    return fail(kNotHere, "expected a CUDA backend for --backend cuda, found none: " + cuda.text);
  }
  if (const auto fault = check_output_paths(o)) return fail(kBadInput, fault->sentence);
  const Result<LoadedProblem> loaded = load_problem(o.q_path, o.k_path, o.v_path, o.problem);
  if (!loaded) return fail(kBadInput, loaded.fault().sentence);

  if (o.automatic_splits) o.plan = automatic_plan(loaded->problem);
  RunOnCpu on_cpu = decode(o, loaded->problem);
  DecodeOutput& output = on_cpu.output;
  for (float& x : output.o) x = static_cast<float>(round_to(o.out_dtype, x));
  const Check check = check_against_oracle(loaded->problem, output.o, output.lse_ln, o.out_dtype);
  if (const auto fault = write_outputs(o, *loaded, output)) return fail(kBadInput, fault->sentence);

  const RunReport report{o, on_cpu, *loaded, check, o.backend == "auto" ? cuda_state().text : ""};
  fmt::print("{}", o.json ? run_json(report) : run_table(report));
  return check.failed() ? kDiffers : kDone;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "compute one decode problem and check it against the oracle");
  const auto options = std::make_shared<RunOptions>();
  add_problem_options(*command, *options);
  add_score_options(*command, *options);
  add_plan_options(*command, *options);
  add_output_options(*command, *options);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fdlab::cli

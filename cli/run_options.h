// What `fdlab run` was asked to do.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/load_problem.h"
#include "core/io/result.h"
#include "core/plan/method.h"
#include "core/plan/plan.h"

namespace fdlab::cli {

struct RunOptions {
  std::string q_path, k_path, v_path;
  ProblemOptions problem;
  Method method = Method::lse;
  DecodePlan plan{.num_streams = 4};
  bool automatic_splits = false;  ///< the plan is made from the shape
  std::string backend = "auto";
  std::string kernel;           ///< of the CUDA ladder; empty: the production kernel
  std::string isa;              ///< empty: the fastest that runs here
  std::string merge_tree_path;  ///< empty: the plan's named order
  DType out_dtype = DType::f32;
  bool lse_base_2 = false;
  std::string o_path, lse_path;  ///< empty: not written
  bool checks = true;  ///< against the oracle
  bool json = false;
  std::vector<std::string> given;  ///< the plan options that stand on the command line

  bool gives(std::string_view option) const {
    return std::find(given.begin(), given.end(), option) != given.end();
  }
};

/// Registers the options; they are set when the command line has been parsed.
enum class Presence { required, optional };  ///< of --q, --k and --v
void add_problem_options(CLI::App& command, RunOptions& options, Presence presence = Presence::required);
void add_score_options(CLI::App& command, RunOptions& options);
void add_plan_options(CLI::App& command, RunOptions& options);
void add_output_options(CLI::App& command, RunOptions& options);

/// Those of add_plan_options that the parsed command line gives.
std::vector<std::string> given_plan_options(const CLI::App& command);
/// Those of add_problem_options but the files, and of add_score_options.
std::vector<std::string> given_problem_options(const CLI::App& command);

/// Refuses --lse-without-sink where there is no sink.
std::optional<Fault> check_sink_options(const ProblemOptions& problem);

}  // namespace fdlab::cli

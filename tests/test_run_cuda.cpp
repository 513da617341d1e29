// fdlab run on a GPU: every kernel of the ladder by name, and the exit codes where there is none.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/npy_files.h"
#include "tests/random_problem.h"
#include "tests/run_program.h"

using namespace fdlab;
using Arguments = std::vector<std::string>;

namespace {

/// A problem in files: GQA, two sequences, bf16, several tiles and an odd tail.
class ProblemFiles {
 public:
  explicit ProblemFiles(DType type = DType::bf16) {
    const RandomProblem random({2, 8, 2, 1, 1037, 64, 64, type}, 3);
    const RandomProblem halves({2, 8, 2, 1, 1, 64, 64, DType::f16}, 3);
    const Tensor* const q = type == DType::e4m3 ? &halves.q : &random.q;
    for (const auto& [name, tensor] : {std::pair{"q.npy", q}, {"k.npy", &random.k}, {"v.npy", &random.v}}) {
      auto staged = stage_npy(folder / name, *tensor);
      REQUIRE(staged);
      REQUIRE_FALSE(staged->commit());
    }
  }
  ProgramRun run(const Arguments& more) const {
    Arguments all{"run",      "--q", folder / "q.npy", "--k", folder / "k.npy", "--v", folder / "v.npy",
                  "--layout", "bhnd"};
    all.insert(all.end(), more.begin(), more.end());
    return run_fdlab(all);
  }
  TemporaryFolder folder;
};

/// Empty where the program can use a GPU, else its reason.
std::string why_no_gpu() {
  static const std::string reason = [] {
    const ProgramRun run = ProblemFiles().run({"--backend", "cuda"});
    return run.exit_code == 3 ? run.err : "";
  }();
  return reason;
}

/// True, and said, where the rest of the test needs a GPU and there is none.
bool skips() {
  if (why_no_gpu().empty()) return false;
  MESSAGE("SKIPPED: " << why_no_gpu());
  return true;
}

nlohmann::json json_of(const ProgramRun& run) {
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return nlohmann::json::parse(run.out);
}

constexpr const char* kKernels[] = {"one-block",    "split-mlo",  "split-lse", "vector-loads",
                                    "tensor-cores", "async-ring", "one-kernel"};

}  // namespace

TEST_CASE("C50: without a CUDA device cpu and auto work, cuda says why and ends with 3, writing nothing") {
  const ProblemFiles files;
  CHECK(json_of(files.run({"--backend", "cpu", "--json"}))["backend"] == "cpu");
  const ProgramRun automatic = files.run({"--backend", "auto"});
  CHECK(automatic.exit_code == 0);
  const ProgramRun cuda = files.run({"--backend", "cuda", "--out-o", files.folder / "o.npy"});
  if (why_no_gpu().empty()) {
    CHECK(cuda.exit_code == 0);
    return;
  }
  CHECK(automatic.out.find("no CUDA") != std::string::npos);
  CHECK(cuda.exit_code == 3);
  CHECK(is_one_line(cuda.err));
  CHECK(cuda.out.empty());
  CHECK_FALSE(std::filesystem::exists(files.folder / "o.npy"));
  CHECK(files.run({"--kernel", "one-block"}).exit_code == 3);
}

TEST_CASE("the GPU's JSON names device, driver, kernel and splits, and splits really split (C23)") {
  if (skips()) return;
  const ProblemFiles files;
  const auto json = json_of(files.run({"--backend", "cuda", "--json"}));
  CHECK(json["backend"] == "cuda");
  CHECK(json["o"]["outcome"] == "passed");
  CHECK(json["lse"]["outcome"] == "passed");
  for (const char* field : {"name", "driver", "kernel", "merge"})
    CHECK_FALSE(json["device"][field].get<std::string>().empty());
  CHECK(json["device"]["splits"] > 1);
  CHECK(json_of(files.run({"--backend", "auto", "--json"}))["backend"] == "cuda");
  CHECK(json_of(files.run({"--backend", "cuda", "--splits", "8", "--json"}))["device"]["splits"] == 8);
}

TEST_CASE("every kernel of the ladder and every method that has one passes against the oracle") {
  if (skips()) return;
  for (const DType type : {DType::bf16, DType::f16}) {
    const ProblemFiles files(type);
    for (const char* kernel : kKernels) {
      CAPTURE(std::string(kernel));
      const auto json = json_of(files.run({"--kernel", kernel, "--json"}));
      CHECK(json["device"]["kernel"] == kernel);
      CHECK(json["o"]["outcome"] == "passed");
      CHECK(json["lse"]["outcome"] == "passed");
    }
    for (const char* method : {"online", "mlo", "mlo-unnormalised", "lse"})
      CHECK(json_of(files.run({"--backend", "cuda", "--method", method, "--json"}))["method"] == method);
  }
}

TEST_CASE("caches of every type pass against the oracle, on the tuned kernels") {
  if (skips()) return;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3}) {
    Arguments options{"--backend", "cuda", "--json"};
    if (type == DType::e4m3) options.insert(options.end(), {"--kv-dtype", "e4m3"});
    const auto json = json_of(ProblemFiles(type).run(options));
    CHECK(json["device"]["kernel"].get<std::string>().find(std::string(name_of(type)) + " head_dim 64") !=
          std::string::npos);
  }
}

TEST_CASE("CPU and GPU outputs of one problem compare as equal by the rule, and a wrong one does not") {
  if (skips()) return;
  const ProblemFiles files;
  const auto& folder = files.folder;
  for (const std::string backend : {"cpu", "cuda"}) {
    std::filesystem::create_directory(folder / backend);
    REQUIRE(files
                .run({"--backend", backend, "--out-o", folder / (backend + "/o.npy"), "--out-lse",
                      folder / (backend + "/lse.npy"), "--out-dtype", "bf16"})
                .exit_code == 0);
  }
  const Arguments problem{"--q", folder / "q.npy", "--k",      folder / "k.npy",
                          "--v", folder / "v.npy", "--layout", "bhnd"};
  Arguments compare{"compare", folder / "cuda", folder / "cpu"};
  compare.insert(compare.end(), problem.begin(), problem.end());
  const ProgramRun same = run_fdlab(compare);
  CAPTURE(same.out);
  CHECK(same.exit_code == 0);
  compare.insert(compare.end(), {"--scale", "0.2"});
  CHECK(run_fdlab(compare).exit_code == 1);
}

TEST_CASE("what the device does not take is refused by name") {
  if (skips()) return;
  const ProblemFiles files;
  struct Row {
    Arguments arguments;
    std::vector<std::string> parts;
  };
  const std::vector<Row> rows{
      {{"--method", "standard"}, {"expected a method that a kernel uses", "found standard"}},
      {{"--streams", "3"}, {"expected --splits", "found --streams"}},
      {{"--deal", "balanced"}, {"expected --splits", "found --deal"}},
      {{"--tile", "256"}, {"expected a --tile of 16", "found 256"}},
      {{"--splits", "100000"}, {"expected 1 to 512 splits", "found 100000"}},
      {{"--kernel", "warp-speed"}, {"expected a --kernel of one-block", "found 'warp-speed'"}},
      {{"--kernel", "one-block", "--splits", "2"}, {"expected 1 split", "one-block", "found 2"}},
  };
  for (const Row& row : rows) {
    Arguments arguments{"--backend", "cuda"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const ProgramRun run = files.run(arguments);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(is_one_line(run.err));
    for (const std::string& part : row.parts) CHECK(run.err.find(part) != std::string::npos);
  }
  CHECK(json_of(files.run({"--streams", "3", "--json"}))["backend"] == "cpu");
  CHECK(json_of(files.run({"--tile", "16", "--json"}))["backend"] == "cuda");
}

TEST_CASE("a double cache is refused by the device and taken by the CPU") {
  if (skips()) return;
  const ProblemFiles files(DType::f64);
  const ProgramRun cuda = files.run({"--backend", "cuda"});
  CHECK(cuda.exit_code == 2);
  CHECK(cuda.err.find("f64") != std::string::npos);
  CHECK(json_of(files.run({"--json"}))["backend"] == "cpu");
}

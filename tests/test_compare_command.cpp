// fdlab compare, as a person or a script calls it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/npy_files.h"
#include "tests/run_program.h"
#include "tests/test_vectors.h"

using namespace fdlab;
using Arguments = std::vector<std::string>;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool has(const ProgramRun& run, const std::string& part) { return run.out.find(part) != std::string::npos; }

/// Two outputs of shape (batch 1, 2 query heads, 3 components), and what compare says of them.
ProgramRun compare(const std::vector<float>& a, const std::vector<float>& b, const Arguments& more = {},
                   DType type = DType::f32) {
  const TemporaryFolder folder;
  const auto components = static_cast<std::int64_t>(a.size() / 2);
  write_values(folder / "a.npy", {1, 2, components}, a, type);
  write_values(folder / "b.npy", {1, 2, components}, b, type);
  Arguments arguments{"compare", folder / "a.npy", folder / "b.npy"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fdlab(arguments);
}

/// The same for log-sum-exps of shape (rows).
ProgramRun compare_lse(const std::vector<float>& a, const std::vector<float>& b, const Arguments& more = {}) {
  const TemporaryFolder folder;
  write_values(folder / "a.npy", {static_cast<std::int64_t>(a.size())}, a);
  write_values(folder / "b.npy", {static_cast<std::int64_t>(b.size())}, b);
  Arguments arguments{"compare", "--lse", folder / "a.npy", "--ref-lse", folder / "b.npy"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fdlab(arguments);
}

/// The gqa-group4 vector and its run by the CPU, in folders.
struct Problem {
  TestVector vector;
  TemporaryFolder folder;
  Problem() {
    for (const TestVector& v : all_vectors())
      if (v.name == "gqa-group4") vector = v;
    std::filesystem::create_directory(folder / "run");
    Arguments run{"run",       "--backend",           "cpu", "--out-o", folder / "run/o.npy",
                  "--out-lse", folder / "run/lse.npy"};
    const Arguments problem = arguments();
    run.insert(run.end(), problem.begin(), problem.end());
    REQUIRE(run_fdlab(run).exit_code == 0);
  }
  Arguments arguments() const {
    return {"--q", vector.file("q"), "--k", vector.file("k"), "--v", vector.file("v")};
  }
  ProgramRun compare(const Arguments& sides, const Arguments& more = {}) const {
    Arguments all{"compare"};
    for (const Arguments& part : {sides, arguments(), more}) all.insert(all.end(), part.begin(), part.end());
    return run_fdlab(all);
  }
};

}  // namespace

TEST_CASE(
    "C47: equal ends with 0; a NaN, another infinity or a step too far with 1, and the place is named") {
  CHECK(compare({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}).exit_code == 0);
  CHECK(compare({1, -kInf, 3, 4, 5, 6}, {1, -kInf, 3, 4, 5, 6}).exit_code == 0);
  const ProgramRun nan = compare({1, 2, 3, 4, kNaN, 6}, {1, 2, 3, 4, 5, 6});
  CHECK(nan.exit_code == 1);
  CHECK(has(nan, "DIFFERS"));
  CHECK(has(nan, "query head 1, component 1"));
  CHECK(has(nan, "1 NaN"));
  CHECK(compare({kInf, 2, 3, 4, 5, 6}, {-kInf, 2, 3, 4, 5, 6}).exit_code == 1);
  CHECK(compare({1, 2, 3, 4, 5, 6.001f}, {1, 2, 3, 4, 5, 6}).exit_code == 1);
  CHECK(compare({1, 2, 3, 4, 5, 6.001f}, {1, 2, 3, 4, 5, 6}, {"--rtol", "1e-3"}).exit_code == 0);
  CHECK(compare({kNaN, 2}, {kNaN, 2}).exit_code == 1);
  CHECK(compare({kNaN, 2}, {kNaN, 2}, {"--equal-nan"}).exit_code == 0);
}

TEST_CASE("C48: one bf16 step passes, eight do not") {
  CHECK(compare({0, 0.201171875f}, {0, 0.2001953125f}, {}, DType::bf16).exit_code == 0);
  CHECK(compare({0, 0.2080078125f}, {0, 0.2001953125f}, {}, DType::bf16).exit_code == 1);
}

TEST_CASE("the tolerance that is printed is the one that was applied: o's and lse's by their own types") {
  const TemporaryFolder folder;
  for (const char* side : {"a", "b"}) std::filesystem::create_directory(folder / side);
  write_values(folder / "a/o.npy", {2, 2}, {1, 2, 3, 4}, DType::f16);
  write_values(folder / "b/o.npy", {2, 2}, {1.001f, 2, 3, 4});
  for (const char* lse : {"a/lse.npy", "b/lse.npy"}) write_values(folder / lse, {2}, {1, 2});
  const ProgramRun run = run_fdlab({"compare", folder / "a", folder / "b"});
  CHECK(run.exit_code == 0);
  const std::size_t of_o = run.out.find("1.0e-05 + 2.0e-03 |expected|"),
                    of_lse = run.out.find("1.0e-05 + 1.0e-05 |expected|");
  CHECK(of_o < of_lse);
  CHECK(of_lse != std::string::npos);
}

TEST_CASE("C47: zero elements are no pass") {
  const ProgramRun empty = compare({}, {});
  CHECK(empty.exit_code == 1);
  CHECK(has(empty, "0 elements"));
}

TEST_CASE("C03, C08: a convention that nobody declared is named and ends with 1; declared, it ends with 0") {
  const std::vector<float> natural{8.030084f, 4.158883f}, base_2{11.584963f, 6.0f};
  const ProgramRun base = compare_lse(base_2, natural);
  CHECK(base.exit_code == 1);
  CHECK(has(base, "found is in base 2, expected is natural"));
  CHECK(compare_lse(base_2, natural, {"--lse-base", "2"}).exit_code == 0);
  CHECK(compare_lse(natural, base_2, {"--ref-lse-base", "2"}).exit_code == 0);
  CHECK(compare_lse(natural, base_2, {"--lse-base", "2"}).exit_code == 1);
  const ProgramRun marker = compare_lse({kInf, 0.5f}, {-kInf, 0.5f});
  CHECK(marker.exit_code == 1);
  CHECK(has(marker, "marked +inf"));
  CHECK_FALSE(has(compare_lse({kInf, 0.5f}, {1, 0.5f}), "agrees"));
}

TEST_CASE("folders of two runs compare o and lse; what stands on one side only is said") {
  const Problem problem;
  std::filesystem::create_directory(problem.folder / "other");
  std::filesystem::copy_file(problem.folder / "run/o.npy", problem.folder / "other/o.npy");
  const ProgramRun both = run_fdlab({"compare", problem.folder / "run", problem.folder / "run"});
  CHECK(both.exit_code == 0);
  CHECK(has(both, "lse   "));
  const ProgramRun one = run_fdlab({"compare", problem.folder / "run", problem.folder / "other"});
  CHECK(one.exit_code == 0);
  CHECK(has(one, "lse stands on one side only"));
}

TEST_CASE(
    "with the problem the oracle judges: a right output passes, C49's broken merge and a wrong base do not") {
  const Problem problem;
  const ProgramRun right = problem.compare({problem.folder / "run"});
  CAPTURE(right.out);
  CHECK(right.exit_code == 0);
  CHECK(has(right, "against oracle"));
  CHECK(problem.compare({problem.folder / "run", problem.folder / "run"}).exit_code == 0);
  CHECK(problem.compare({problem.folder / "run"}, {"--scale", "0.3"}).exit_code == 1);

  std::vector<float> lse;
  for (const double x : read_values(problem.folder / "run/lse.npy"))
    lse.push_back(static_cast<float>(x * 1.44269504));
  write_values(problem.folder / "base2.npy", read_npy(problem.folder / "run/lse.npy")->shape, lse);
  const ProgramRun undeclared = problem.compare({"--lse", problem.folder / "base2.npy"});
  CHECK(undeclared.exit_code == 1);
  CHECK(has(undeclared, "found is in base 2"));
  CHECK(problem.compare({"--lse", problem.folder / "base2.npy", "--lse-base", "2"}).exit_code == 0);

  std::vector<float> wrong;
  for (const double x : read_values(problem.folder / "run/o.npy")) wrong.push_back(static_cast<float>(x));
  wrong[wrong.size() / 2] += 0.05f;
  write_values(problem.folder / "wrong.npy", read_npy(problem.folder / "run/o.npy")->shape, wrong);
  const ProgramRun differs = problem.compare({problem.folder / "wrong.npy", "--json"});
  CHECK(differs.exit_code == 1);
  const auto json = nlohmann::json::parse(differs.out);
  CHECK(json["rule"] == "oracle");
  CHECK(json["parts"][0]["index"] == wrong.size() / 2);
  CHECK(json["parts"][0]["outcome"] == "failed");
}

TEST_CASE("the committed sample of version 1 has the fields that are printed now, and the page names them") {
  const auto fields = [](const nlohmann::json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  const auto sample = nlohmann::json::parse(text_of_file(FDLAB_TEST_DATA "/formats/compare-v1.json"));
  const auto json = nlohmann::json::parse(compare_lse({1, kNaN}, {1, 2}, {"--json"}).out);
  CHECK(json["format"] == "fdlab-compare");
  CHECK(json["version"] == 1);
  CHECK(json["parts"][0]["found"] == "nan");
  CHECK(json["equal"] == false);
  CHECK(fields(sample) == fields(json));
  CHECK(fields(sample["parts"][0]) == fields(json["parts"][0]));
  const std::string page = text_of_file(FDLAB_SOURCE_DIR "/core/io/FORMATS.md");
  for (const auto& names : {fields(json), fields(json["parts"][0]), fields(json["parts"][0]["place"])})
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(page.find("`" + name + "`") != std::string::npos);
    }
}

TEST_CASE("bad input to compare: exit 2 and one line") {
  const TemporaryFolder folder;
  write_values(folder / "a.npy", {2, 3}, std::vector<float>(6, 1.0f));
  write_values(folder / "b.npy", {3, 2}, std::vector<float>(6, 1.0f));
  write_values(folder / "lse.npy", {2}, {1, 1});
  std::filesystem::create_directory(folder / "empty");
  const std::string a = folder / "a.npy", b = folder / "b.npy";
  struct Row {
    Arguments arguments;
    std::vector<std::string> parts;
  };
  const std::vector<Row> rows{
      {{"compare"}, {"expected an output to compare", "found none"}},
      {{"compare", a}, {"expected what to compare with", "found none"}},
      {{"compare", a, b}, {"a.npy", "expected the shape (3, 2)", "b.npy", "found (2, 3)"}},
      {{"compare", a, folder / "none.npy"}, {"none.npy", "No such file"}},
      {{"compare", a, folder / "empty"}, {"empty/o.npy", "No such file"}},
      {{"compare", a, "--o", a}, {"expected A or --o", "found both"}},
      {{"compare", "--o", a, "--ref-lse", folder / "lse.npy"}, {"expected two outputs", "found one of each"}},
      {{"compare", a, a, "--causal"}, {"expected the problem (--q --k --v) with --causal", "found none"}},
      {{"compare", a, a, "--scale", "2"}, {"expected the problem", "with --scale"}},
      {{"compare", a, "--q", a}, {"expected --q, --k and --v together"}},
      {{"compare", a, a, "--rtol", "-1"}, {"--rtol", "expected a finite number of at least 0", "found '-1'"}},
      {{"compare", a, a, "--atol", "inf"}, {"--atol", "found 'inf'"}},
      {{"compare", a, a, "--lse-base", "10"}, {"--lse-base", "expected e or 2", "found '10'"}},
      {{"compare", a, a, a}, {}},
  };
  for (const Row& row : rows) check_refused(row.arguments, row.parts);
  const Problem problem;
  const ProgramRun shape = problem.compare({a});
  CHECK(shape.exit_code == 2);
  CHECK(shape.err.find("this problem's o") != std::string::npos);
  CHECK(problem.compare({problem.folder / "run", "--rtol", "1"}).err.find("expected no tolerance") !=
        std::string::npos);
}

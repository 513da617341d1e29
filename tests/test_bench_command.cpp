// fdlab bench and fdlab record: what they refuse, what they print, and what they print where there is a GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/sim/recording.h"
#include "tests/run_program.h"

using namespace fdlab;
using Arguments = std::vector<std::string>;

namespace {

/// Checks the refusal where there is no GPU. True if there is none.
bool ends_with_3(const ProgramRun& run) {
  if (run.exit_code != 3) return false;
  CHECK(is_one_line(run.err));
  CHECK(run.err.find("expected a CUDA device") != std::string::npos);
  CHECK(run.out.empty());
  MESSAGE("SKIPPED: " << run.err);
  return true;
}

std::vector<std::string> fields(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Arguments kShortBench{"bench",    "cpu", "--quick",      "--kv-len", "256",
                            "--rounds", "1",   "--rotate-mib", "1"};

}  // namespace

TEST_CASE("impossible shapes are refused before anybody looks for a GPU") {
  struct Row {
    Arguments arguments;
    std::vector<std::string> parts;
  };
  const std::vector<Row> rows{
      {{"bench"}, {"bench: expected cpu or cuda, found none"}},
      {{"bench", "foo"}, {"bench: expected cpu or cuda, found 'foo'"}},
      {{"bench", "--quick"}, {"bench: expected cpu or cuda, found '--quick'"}},
      {{"bench", "foo", "cpu"}, {"bench: expected cpu or cuda, found 'foo'"}},
      {{"bench", "cpu", "foo"}, {"foo"}},
      {{"bench", "cpu", "--rounds", "0"}, {"--rounds", "expected a whole number from 1", "found '0'"}},
      {{"bench", "cuda", "--batch", "0"}, {"--batch", "expected a whole number from 1", "found '0'"}},
      {{"bench", "cuda", "--kv-len", "-1"}, {"--kv-len", "expected a whole number from 0", "found '-1'"}},
      {{"bench", "cuda", "--kv-len", "99999999999"}, {"--kv-len", "found '99999999999'"}},
      {{"bench", "cuda", "--kv-dtype", "int8"},
       {"--kv-dtype", "expected f32, f16, bf16 or e4m3", "found 'int8'"}},
      {{"bench", "cuda", "--q-heads", "7", "--kv-heads", "2"}, {"multiple of KV heads", "found 7 and 2"}},
      {{"bench", "cuda", "--splits", "0"}, {"--splits", "expected a whole number from 1", "found '0'"}},
      {{"bench", "cuda", "--merge", "bush"},
       {"--merge", "expected none, cluster or last-arriver", "found 'bush'"}},
      {{"record", "--q-heads", "7", "--kv-heads", "2"}, {"multiple of KV heads", "found 7 and 2"}},
      {{"record", "--kv-lens", "5,x"}, {"--kv-lens", "found 'x'"}},
      {{"record", "--kv-lens", "5,6", "--batch", "3"}, {"expected 3 KV lengths", "found 2"}},
      {{"record", "--head-dim", "0"}, {"--head-dim", "found '0'"}},
  };
  for (const Row& row : rows) check_refused(row.arguments, row.parts);
}

TEST_CASE("bench cpu says first what it will take, then one line per shape") {
  const ProgramRun run = run_fdlab(kShortBench);
  CAPTURE(run.out);
  REQUIRE(run.exit_code == 0);
  CHECK(run.out.starts_with("6 shapes, each checked, then timed: about "));
  CHECK(run.out.find("32/8 x 256    f32") != std::string::npos);
  CHECK(run.out.find("Eigen 3") != std::string::npos);
  CHECK(run.out.find("OpenBLAS") != std::string::npos);
}

TEST_CASE("the committed sample of the CPU bench has the fields of the page, and of what is printed now") {
  const auto sample = nlohmann::json::parse(text_of_file(FDLAB_TEST_DATA "/formats/bench-v2.json"));
  const ProgramRun run = run_fdlab(kShortBench + Arguments{"--json"});
  REQUIRE(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["format"] == "fdlab-bench");
  CHECK(json["version"] == 2);
  REQUIRE(json["shapes"].size() == 6);
  const auto& shape = json["shapes"][2];
  CHECK(shape["kv_len"] == 256);
  CHECK(shape["kv_bytes"] == 2 * 8 * 256 * 128 * 4);
  CHECK(shape["ratio"] > 0);
  REQUIRE(shape["peers"].size() >= 1);
  CHECK(shape["peers"][0]["peer"] == "eigen");
  CHECK(json["shapes"][1]["dtype"] == "bf16");
  CHECK(json["shapes"][1]["peers"].empty());

  CHECK(fields(json) == fields(sample));
  CHECK(fields(shape) == fields(sample["shapes"][0]));
  const std::string page = text_of_file(FDLAB_SOURCE_DIR "/core/io/FORMATS.md");
  for (const auto& names : {fields(json), fields(shape), fields(shape["peers"][0])})
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(page.find("`" + name + "`") != std::string::npos);
    }
}

TEST_CASE("the committed sample of the GPU bench has the fields of the page, and of what is printed now") {
  const auto sample = nlohmann::json::parse(text_of_file(FDLAB_TEST_DATA "/formats/bench-cuda-v2.json"));
  CHECK(sample["format"] == "fdlab-bench-cuda");
  CHECK(sample["version"] == 2);
  const std::string page = text_of_file(FDLAB_SOURCE_DIR "/core/io/FORMATS.md");
  for (const auto& names :
       {fields(sample), fields(sample["shapes"][0]), fields(sample["shapes"][0]["peers"][0])})
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(page.find("`" + name + "`") != std::string::npos);
    }

  const ProgramRun run = run_fdlab({"bench", "cuda", "--kv-len", "2048", "--no-peers", "--json"});
  if (ends_with_3(run)) return;
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(fields(json) == fields(sample));
  REQUIRE(json["shapes"].size() == 1);
  const auto& shape = json["shapes"][0];
  CHECK(fields(shape) == fields(sample["shapes"][0]));
  CHECK(shape["kv_len"] == 2048);
  CHECK(shape["splits"] > 1);
  CHECK(shape["relative_error"] > 0);
  CHECK(shape["ratio"] > 0.05);
  CHECK(shape["ratio"] < 1.05);
}

TEST_CASE("bench cuda holds ragged and paged caches against attention too, and times them") {
  const ProgramRun ragged =
      run_fdlab({"bench", "cuda", "--kv-lens", "2000,1,0,777", "--page-size", "48", "--no-peers", "--json"});
  if (ends_with_3(ragged)) return;
  CAPTURE(ragged.err);
  REQUIRE(ragged.exit_code == 0);
  const auto shape = nlohmann::json::parse(ragged.out)["shapes"][0];
  CHECK(shape["kv_lens"] == nlohmann::json({2000, 1, 0, 777}));
  CHECK(shape["page_size"] == 48);
  CHECK(shape["kv_bytes"] == 2 * 8 * 2778 * 128 * 2);
  CHECK(shape["relative_error"] > 0);
  CHECK(shape["time_us"] > 0);
}

TEST_CASE("record writes what simulate --against reads, whole or not at all") {
  const TemporaryFolder folder;
  const std::string path = folder / "run.json";
  const Arguments small{"record", "--kv-len", "2048", "--splits", "4", "--out", path};
  const ProgramRun run = run_fdlab(small);
  if (ends_with_3(run)) {
    CHECK_FALSE(std::filesystem::exists(path));
    return;
  }
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const auto recording = read_recording(path);
  REQUIRE(recording);
  CHECK(recording->kernel == "one-kernel");
  CHECK(recording->num_splits == 4);
  CHECK(recording->blocks.size() == 8 * 4);
  CHECK(recording->problem.kv_len == 2048);
  std::int64_t bytes = 0;
  for (const RecordedBlock& block : recording->blocks) bytes += block.bytes;
  CHECK(bytes == recording->problem.kv_bytes());
  CHECK(run_fdlab({"simulate", "--against", path}).exit_code == 0);

  for (const Arguments& refused : {Arguments{"--kernel", "split-lse"}, Arguments{"--kernel", "none-such"},
                                   Arguments{"--head-dim", "64"}, Arguments{"--kv-dtype", "f16"}}) {
    Arguments arguments{"record", "--out", folder / "refused.json"};
    arguments.insert(arguments.end(), refused.begin(), refused.end());
    const ProgramRun refusal = run_fdlab(arguments);
    CAPTURE(refusal.err);
    CHECK(refusal.exit_code == 2);
    CHECK(is_one_line(refusal.err));
    CHECK_FALSE(std::filesystem::exists(folder / "refused.json"));
  }
}

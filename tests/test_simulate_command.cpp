// fdlab simulate and fdlab splits, as a person calls them: what they refuse, and how they count.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/run_program.h"

using namespace fdlab;

namespace {

std::vector<std::string> fields(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("bad input to simulate and splits: exit 2 and one line that says what was expected and found") {
  struct Row {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Row& row : {
           Row{{"simulate", "--splits", "foo"}, "expected --splits to be auto or an integer, found 'foo'"},
           Row{{"simulate", "--at-us", "soon"},
               "--at-us: expected a finite number of at least 0, found 'soon'"},
           Row{{"simulate", "--at-us", "-1"}, "--at-us: expected a finite number of at least 0, found '-1'"},
           Row{{"simulate", "--at-us", "1e300"}, "--at-us: expected a moment of the call, from 0 to "},
           Row{{"simulate", "--columns", "3"},
               "--columns: expected a whole number from 20 to 1000, found '3'"},
           Row{{"simulate", "--lanes", "x"}, "--lanes: expected a whole number from 1 to 4096, found 'x'"},
           Row{{"simulate", "--devices", "x"},
               "--devices: expected a whole number from 1 to 65536, found 'x'"},
           Row{{"simulate", "--fit", ""},
               "--fit: expected a recorded kernel, one-block or one-kernel, found ''"},
           Row{{"simulate", "--fit", "one-block", "--json"},
               "expected no other option beside --fit, found --json"},
           Row{{"simulate", "--calibrate", "--splits", "3"},
               "expected only --gpu beside --calibrate, found --splits"},
           Row{{"simulate", "--against", "r.json", "--json"},
               "expected only --gpu beside --against, found --json"},
           Row{{"simulate", "--devices", "8", "--kv-len", "9", "--json"},
               "--kv-len, --kv-lens, --head-dim, --v-head-dim, --kv-dtype beside --devices, found --json"},
           Row{{"simulate", "--link", "nvlink5"}, "expected --devices beside --link, found none"},
           Row{{"simulate", "--fit", "split"},
               "--fit: expected a recorded kernel, one-block or one-kernel, found 'split'"},
           Row{{"simulate", "--perfetto", ""}, "--perfetto: expected the name of a file, found ''"},
           Row{{"splits", "--heads", "x", "--sms", "1", "--blocks", "1"},
               "--heads: expected a whole number from 1 to 2147483648, found 'x'"},
           Row{{"splits", "--heads", "1", "--sms", "0", "--blocks", "1"},
               "--sms: expected a whole number from 1"},
           Row{{"splits", "--heads", "1", "--sms", "1"}, "--blocks"},
       }) {
    const ProgramRun run = run_fdlab(row.arguments);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find(row.says) != std::string::npos);
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  }
}

TEST_CASE("the committed samples have the fields that are printed now, and of the page") {
  struct Sample {
    const char* file;
    std::vector<std::string> arguments;
    std::vector<const char*> parts;  // objects, or arrays of them
  };
  const std::string page = text_of_file(FDLAB_SOURCE_DIR "/core/sim/FORMATS.md");
  for (const Sample& sample : {Sample{"splits-v2",
                                      {"splits", "--heads", "12", "--sms", "108", "--blocks", "8", "--json"},
                                      {"rules", "candidates"}},
                               Sample{"schedule-v1",
                                      {"simulate", "--gpu", "classroom4", "--q-heads", "2", "--kv-heads", "1",
                                       "--kv-len", "512", "--splits", "5", "--json"},
                                      {"problem", "ratios", "split_kernel", "merge_kernel"}}}) {
    CAPTURE(sample.file);
    const auto committed =
        nlohmann::json::parse(text_of_file(std::string(FDLAB_TEST_DATA "/formats/") + sample.file + ".json"));
    const auto printed = nlohmann::json::parse(run_fdlab(sample.arguments).out);
    const auto first = [](const nlohmann::json& part) { return part.is_array() ? part.at(0) : part; };
    CHECK(printed["format"] == committed["format"]);
    CHECK(printed["version"] == committed["version"]);
    CHECK(fields(printed) == fields(committed));
    std::vector<std::string> names = fields(printed);
    for (const char* part : sample.parts) {
      const auto of_part = fields(first(printed[part]));
      CHECK(of_part == fields(first(committed[part])));
      names.insert(names.end(), of_part.begin(), of_part.end());
    }
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(page.find("`" + name + "`") != std::string::npos);
    }
  }
}

TEST_CASE("--fit prints each constant beside the stored one, and both halves of the recordings") {
  const ProgramRun run = run_fdlab({"simulate", "--fit", "one-block"});
  CHECK(run.exit_code == 0);
  for (const char* part : {"math_share", "round_us", "stored:", "  3 fitted: mean ", "  3 held out: mean ",
                           "measured on NVIDIA H200, driver "})
    CHECK(run.out.find(part) != std::string::npos);
}

TEST_CASE("--against says whose model it takes for a kernel that it has none of") {
  const TemporaryFolder folder;
  const std::string own = FDLAB_SOURCE_DIR "/lessons/recordings/one-kernel_1x32x8x4096.json";
  nlohmann::json foreign = nlohmann::json::parse(text_of_file(own));
  foreign["kernel"] = "somebodys";
  std::ofstream(folder / "foreign.json") << foreign;
  CHECK(run_fdlab({"simulate", "--against", own}).out.starts_with("one-kernel: predicted by the model, "));
  const ProgramRun run = run_fdlab({"simulate", "--against", folder / "foreign.json"});
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("somebodys: predicted by the model of split, for want of one of that name, "));
}

TEST_CASE("one of a thing is not many") {
  const ProgramRun splits = run_fdlab({"splits", "--heads", "1", "--sms", "1", "--blocks", "1"});
  CHECK(splits.out.starts_with("1 head on 1 SM, 1 KV block\n"));
  const ProgramRun simulate =
      run_fdlab({"simulate", "--q-heads", "1", "--kv-heads", "1", "--kv-len", "1", "--splits", "1"});
  CHECK(simulate.out.find("1 query head on 1 KV head, 1 key, ") != std::string::npos);
  CHECK(simulate.out.find("1 split, 1 block, ") != std::string::npos);
}

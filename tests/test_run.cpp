// fdlab run, as a person or a script calls it: what it prints, what it writes, how it ends.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include <nlohmann/json.hpp>

#include "core/io/npy.h"
#include "tests/merge_trees.h"
#include "tests/npy_files.h"
#include "tests/run_program.h"
#include "tests/test_vectors.h"

using namespace fdlab;
using Arguments = std::vector<std::string>;

namespace {

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Arguments run_on(const TestVector& vector) {
  Arguments arguments{"run", "--q", vector.file("q"), "--k", vector.file("k"), "--v", vector.file("v")};
  if (vector.options.scale)
    arguments = arguments + Arguments{"--scale", fmt::format("{}", *vector.options.scale)};
  if (!vector.options.kv_lens.empty())
    arguments = arguments + Arguments{"--kv-lens", fmt::format("{}", fmt::join(vector.options.kv_lens, ","))};
  return arguments;
}

TestVector vector_named(const std::string& name) {
  const std::vector<TestVector> all = all_vectors();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

double worst(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i]) worst = std::max(worst, std::abs(found[i] - expected[i]));
  return worst;
}

}  // namespace

TEST_CASE("every method and merge writes the o and lse that were computed elsewhere, and ends with 0") {
  const TemporaryFolder folder;
  for (const TestVector& vector : all_vectors())
    for (const char* method : {"standard", "online", "online-unnormalised", "mlo", "mlo-unnormalised", "lse"})
      for (const char* merge : {"sequential", "tree", "two-step", "flat"}) {
        CAPTURE(vector.name);
        CAPTURE(std::string(method));
        const ProgramRun run = run_fdlab(
            run_on(vector) + Arguments{"--method", method, "--merge", merge, "--tile", "32", "--streams", "3",
                                       "--out-o", folder / "o.npy", "--out-lse", folder / "l.npy"});
        CAPTURE(run.err);
        REQUIRE(run.exit_code == 0);
        CHECK(run.err.empty());
        CHECK(worst(read_values(folder / "o.npy"), vector.expected_o()) < 1e-6);
        const std::vector<double> lse = vector.expected_lse();
        const double size = std::abs(*std::max_element(lse.begin(), lse.end()));
        CHECK(worst(read_values(folder / "l.npy"), lse) < 1e-6 * std::max(1.0, size));
      }
}

TEST_CASE("outputs have q's axes; only what was asked for is written") {
  const TemporaryFolder folder;
  REQUIRE(run_fdlab(run_on(vector_named("stories260k layer2_")) + Arguments{"--out-o", folder / "o.npy"})
              .exit_code == 0);
  CHECK(read_npy(folder / "o.npy")->shape == std::vector<std::int64_t>{8, 8});
  CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) == 1);

  write_values(folder / "q.npy", {2, 4, 3, 8}, std::vector<float>(192, 0.5f));
  write_values(folder / "k.npy", {2, 5, 2, 8}, std::vector<float>(160, 0.5f));
  write_values(folder / "v.npy", {2, 5, 2, 6}, std::vector<float>(120, 0.25f));
  const ProgramRun run = run_fdlab({"run", "--q", folder / "q.npy", "--k", folder / "k.npy", "--v",
                                    folder / "v.npy", "--layout", "bnhd", "--out-o", folder / "o.npy",
                                    "--out-lse", folder / "lse.npy", "--out-dtype", "bf16"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const auto o = read_npy(folder / "o.npy"), lse = read_npy(folder / "lse.npy");
  REQUIRE(o);
  CHECK(o->shape == std::vector<std::int64_t>{2, 4, 3, 6});
  CHECK(o->type == DType::bf16);
  CHECK(o->element(0) == 0.25);
  CHECK(lse->shape == std::vector<std::int64_t>{2, 4, 3});
  CHECK(lse->type == DType::f32);
}

TEST_CASE("keys and values of different types: --k-dtype and --v-dtype beside --kv-dtype") {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  const auto write = [&](const char* name, std::vector<std::int64_t> shape, DType type) {
    std::vector<float> values(
        static_cast<std::size_t>(shape[0] * shape[1] * (shape.size() > 2 ? shape[2] : 1)));
    for (float& value : values) value = normal(random);
    write_values(folder / name, std::move(shape), values, type);
  };
  write("q.npy", {4, 16}, DType::f32);
  write("e4m3.npy", {2, 90, 16}, DType::e4m3);
  write("f16.npy", {2, 90, 16}, DType::f16);
  write("bf16.npy", {2, 90, 16}, DType::bf16);
  struct Row {
    const char *k, *v;
    Arguments types;
  };
  for (const Row& row :
       {Row{"e4m3", "f16", {"--k-dtype", "e4m3"}},
        Row{"e4m3", "f16", {"--kv-dtype", "e4m3", "--v-dtype", "f16"}},
        Row{"f16", "e4m3", {"--k-dtype", "f16", "--v-dtype", "e4m3"}},
        Row{"e4m3", "bf16", {"--kv-dtype", "bf16", "--k-dtype", "e4m3", "--k-scale", "0.5"}}}) {
    const std::string k = folder / (std::string(row.k) + ".npy"), v = folder / (std::string(row.v) + ".npy");
    const Arguments problem = Arguments{"--q", folder / "q.npy", "--k", k, "--v", v} + row.types;
    CAPTURE(fmt::format("{}", fmt::join(problem, " ")));
    const ProgramRun run = run_fdlab(
        Arguments{"run", "--tile", "16", "--backend", "cpu", "--json", "--out-o", folder / "o.npy"} +
        problem);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json["executor"] == "fast");
    CHECK(json["shape"]["k_dtype"] == row.k);
    CHECK(json["shape"]["v_dtype"] == row.v);
    CHECK(json["o"]["outcome"] == "passed");
    CHECK(run_fdlab(Arguments{"compare", folder / "o.npy"} + problem).exit_code == 0);
  }
  check_refused({"compare", folder / "o.npy", folder / "o.npy", "--k-dtype", "e4m3"},
                {"expected the problem (--q --k --v) with --k-dtype", "found none"});
}

TEST_CASE("C08: the base of the log-sum-exp is what was asked for") {
  const TemporaryFolder folder;
  const Arguments arguments = run_on(vector_named("tile-plus-one"));
  REQUIRE(run_fdlab(arguments + Arguments{"--out-lse", folder / "e.npy"}).exit_code == 0);
  REQUIRE(run_fdlab(arguments + Arguments{"--out-lse", folder / "2.npy", "--lse-base", "2"}).exit_code == 0);
  const std::vector<double> natural = read_values(folder / "e.npy"), binary = read_values(folder / "2.npy");
  for (std::size_t i = 0; i < natural.size(); ++i)
    CHECK(binary[i] == doctest::Approx(natural[i] / std::log(2.0)).epsilon(1e-6));
}

TEST_CASE("--json has the documented fields, and the committed sample of version 2 has the same") {
  const auto run = run_fdlab(run_on(vector_named("ragged")) +
                             Arguments{"--json", "--tile", "16", "--streams", "7", "--backend", "cpu"});
  REQUIRE(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["format"] == "fdlab-run");
  CHECK(json["version"] == 2);
  CHECK(json["device"].is_null());
  CHECK(json["shape"]["kv_lens"] == nlohmann::json::array({70, 1, 33, 0}));
  CHECK(json["plan"]["streams"] == 7);
  CHECK(json["plan"]["tiles"] == nlohmann::json::array({5, 1, 3, 0}));
  CHECK(json["o"]["outcome"] == "passed");
  CHECK(json["rows"].size() == 16);
  CHECK(json["rows"][15]["lse_ln"] == "-inf");
  CHECK(json["rows"][5]["q_head"] == 1);

  const auto sample = nlohmann::json::parse(text_of_file(FDLAB_TEST_DATA "/formats/run-v2.json"));
  CHECK(sample["version"] == 2);
  const auto fields = [](const nlohmann::json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  CHECK(fields(json) == fields(sample));
  for (const char* part : {"shape", "rules", "plan", "o", "lse"})
    CHECK(fields(json[part]) == fields(sample[part]));
  CHECK(fields(json["rows"][0]) == fields(sample["rows"][0]));
  const std::string page = text_of_file(FDLAB_SOURCE_DIR "/core/io/FORMATS.md");
  for (const std::string& name : fields(json) + fields(json["o"]) + fields(json["rows"][0]) +
                                     fields(json["shape"]) + fields(json["rules"])) {
    CAPTURE(name);
    CHECK(page.find("`" + name + "`") != std::string::npos);
  }
}

TEST_CASE("standard attention says that every key is a stream and all merge at once") {
  const auto run = run_fdlab(run_on(vector_named("tile-plus-one")) +
                             Arguments{"--method", "standard", "--tile", "4", "--json"});
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["plan"]["tile"] == 1);
  CHECK(json["plan"]["streams"] == 257);
  CHECK(json["plan"]["merge"] == "flat");
}

TEST_CASE("--merge-tree: the streams merge along the tree in the file, which says how many they are") {
  const TemporaryFolder folder;
  std::ofstream(folder / "tree.json") << merge_tree_file("[[0,1],[2,[3,4]]]");
  const Arguments arguments =
      run_on(vector_named("tile-plus-one")) +
      Arguments{"--tile", "16", "--json", "--backend", "cpu", "--merge-tree", folder / "tree.json"};
  for (const char* method : {"online", "online-unnormalised", "mlo", "mlo-unnormalised", "lse"}) {
    const auto run = run_fdlab(arguments + Arguments{"--method", method});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json["plan"]["merge"] == "given-tree");
    CHECK(json["plan"]["streams"] == 5);
    CHECK(json["o"]["outcome"] == "passed");
  }
  CHECK(run_fdlab(arguments + Arguments{"--splits", "5"}).exit_code == 0);
  check_refused(arguments + Arguments{"--streams", "4"},
                {"expected a merge tree over 4 streams", "found one over 5"});
  check_refused(arguments + Arguments{"--splits", "auto"},
                {"expected a merge tree over 1 stream", "found one over 5"});
  check_refused(arguments + Arguments{"--merge", "tree"}, {"--merge", "--merge-tree"});
  check_refused(arguments + Arguments{"--method", "standard"},
                {"expected a method whose streams merge", "found standard"});
  std::ofstream(folder / "tree.json") << merge_tree_file("[[0,1],1]");
  check_refused(arguments, {"tree.json: expected every stream once, found stream 1 twice"});
  std::ofstream(folder / "tree.json") << "";
  check_refused(arguments, {"tree.json: expected JSON"});
}

TEST_CASE("automatic splits keep the tile and the merge that were asked for") {
  const auto run = run_fdlab(run_on(vector_named("tile-plus-one")) + Arguments{"--splits", "auto", "--merge",
                                                                               "two-step", "--tile", "32",
                                                                               "--json", "--backend", "cpu"});
  REQUIRE(run.exit_code == 0);
  CHECK(nlohmann::json::parse(run.out)["plan"]["merge"] == "two-step");
  CHECK(nlohmann::json::parse(run.out)["plan"]["tile"] == 32);
}

TEST_CASE("C23: the plan that was used is said, and automatic splits really split") {
  const auto run =
      run_fdlab(run_on(vector_named("equal-keys")) + Arguments{"--splits", "4", "--tile", "64", "--json"});
  CHECK(nlohmann::json::parse(run.out)["plan"]["streams"] == 4);
  CHECK(nlohmann::json::parse(run.out)["plan"]["deal"] == "contiguous");

  const TemporaryFolder folder;
  write_values(folder / "q.npy", {1, 4}, std::vector<float>(4, 1.0f));
  write_values(folder / "kv.npy", {1, 5000, 4}, std::vector<float>(20000, 1.0f));
  const auto automatic = run_fdlab({"run", "--q", folder / "q.npy", "--k", folder / "kv.npy", "--v",
                                    folder / "kv.npy", "--splits", "auto", "--json", "--backend", "cpu"});
  REQUIRE(automatic.exit_code == 0);
  CHECK(nlohmann::json::parse(automatic.out)["plan"]["streams"] > 1);
  CHECK(nlohmann::json::parse(automatic.out)["executor"] == "fast");
}

TEST_CASE(
    "C21: no keys, one key and no rows at all end with 0, and what was not compared is not called equal") {
  const TemporaryFolder folder;
  const auto run = [&](std::int64_t batch, std::int64_t kv_len) {
    const auto count = [](std::int64_t n) { return std::vector<float>(static_cast<std::size_t>(n), 1.0f); };
    write_values(folder / "q.npy", {batch, 2, 4}, count(batch * 8));
    write_values(folder / "k.npy", {batch, 2, kv_len, 4}, count(batch * kv_len * 8));
    write_values(folder / "v.npy", {batch, 2, kv_len, 4}, count(batch * kv_len * 8));
    const ProgramRun done =
        run_fdlab({"run", "--q", folder / "q.npy", "--k", folder / "k.npy", "--v", folder / "v.npy",
                   "--layout", "bhnd", "--out-o", folder / "o.npy", "--out-lse", folder / "l.npy"});
    CHECK(done.exit_code == 0);
    CHECK((done.out.find("0 elements: nothing to compute or to compare") != std::string::npos) ==
          (batch == 0));
    CHECK((done.out.find("equal to") != std::string::npos) == (batch != 0));
    return std::pair(read_values(folder / "o.npy"), read_values(folder / "l.npy"));
  };
  const double minus_infinity = -std::numeric_limits<double>::infinity();
  CHECK(run(1, 0) == std::pair(std::vector<double>(8, 0.0), std::vector<double>(2, minus_infinity)));
  CHECK(run(1, 1) == std::pair(std::vector<double>(8, 1.0), std::vector<double>(2, 2.0)));
  CHECK(run(0, 3) == std::pair(std::vector<double>{}, std::vector<double>{}));
}

TEST_CASE("NaN among the keys in use comes out, is counted, and ends with 1") {
  const TemporaryFolder folder;
  write_values(folder / "q.npy", {1, 2}, {1, 1});
  write_values(folder / "k.npy", {1, 3, 2}, {0, 0, NAN, 0, 0, 0});
  write_values(folder / "v.npy", {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  const Arguments arguments{
      "run", "--q", folder / "q.npy", "--k", folder / "k.npy", "--v", folder / "v.npy", "--json"};
  const auto all = run_fdlab(arguments);
  CHECK(all.exit_code == 1);
  CHECK(nlohmann::json::parse(all.out)["o"]["nan"] == 2);
  CHECK(nlohmann::json::parse(all.out)["o"]["outcome"] == "failed");
  CHECK(run_fdlab(arguments + Arguments{"--kv-lens", "1"}).exit_code == 0);
}

TEST_CASE("--no-check computes the same and says that nothing was held against the oracle") {
  const TemporaryFolder folder;
  write_values(folder / "q.npy", {1, 2}, {1, 1});
  write_values(folder / "k.npy", {1, 3, 2}, {0, 1, NAN, 0, 2, 0});
  write_values(folder / "v.npy", {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  for (const char* keys : {"1", "3"}) {  // the second key is NaN: a check ends with 1
    const Arguments arguments{
        "run",       "--q", folder / "q.npy", "--k", folder / "k.npy", "--v", folder / "v.npy",
        "--kv-lens", keys,  "--out-o"};
    const auto with = run_fdlab(arguments + Arguments{folder / "with.npy"});
    const auto without = run_fdlab(arguments + Arguments{folder / "without.npy", "--no-check"});
    CHECK(with.exit_code == (*keys == '3'));
    CHECK(without.exit_code == 0);
    CHECK(text_of_file(folder / "with.npy") == text_of_file(folder / "without.npy"));
    CHECK(without.out.find("not held against the float64 oracle") != std::string::npos);
    CHECK(without.out.find("equal") == std::string::npos);
    const auto json =
        nlohmann::json::parse(run_fdlab(arguments + Arguments{folder / "o.npy", "--no-check", "--json"}).out);
    CHECK(json["o"]["outcome"] == "nothing compared");
    CHECK(json["rows"].empty());
  }
}

TEST_CASE("bad input: exit 2, one line that says what was expected and found, nothing written") {
  const TemporaryFolder folder;
  const std::string good_q = folder / "q.npy", good_k = folder / "k.npy", good_v = folder / "v.npy";
  write_values(good_q, {4, 8}, std::vector<float>(32, 1.0f));
  write_values(good_k, {2, 5, 8}, std::vector<float>(80, 1.0f));
  write_values(good_v, {2, 5, 8}, std::vector<float>(80, 1.0f));
  write_values(folder / "flat.npy", {32}, std::vector<float>(32, 1.0f));
  write_values(folder / "narrow.npy", {2, 5, 6}, std::vector<float>(60, 1.0f));
  write_values(folder / "short.npy", {2, 4, 8}, std::vector<float>(64, 1.0f));
  write_values(folder / "three.npy", {3, 5, 8}, std::vector<float>(120, 1.0f));
  write_values(folder / "square.npy", {2, 2, 8}, std::vector<float>(32, 1.0f));
  write_values(folder / "byte.npy", {2, 5, 8}, std::vector<float>(80, 1.0f), DType::e4m3);
  std::filesystem::create_symlink("x.npy", folder / "to-x.npy");
  const auto files_before = std::distance(std::filesystem::directory_iterator(folder / ""), {});

  const auto with = [&](const std::string& q, const std::string& k, const std::string& v) {
    return Arguments{"run", "--q", folder / q, "--k", folder / k, "--v", folder / v};
  };
  const Arguments good = with("q.npy", "k.npy", "v.npy");
  struct Row {
    Arguments arguments;
    std::vector<std::string> parts;  ///< of the line on stderr
  };
  const std::vector<Row> rows{
      {with("none.npy", "k.npy", "v.npy"), {"none.npy", "expected", "found", "No such file"}},
      {with("flat.npy", "k.npy", "v.npy"),
       {"flat.npy", "expected q of rank 2, 3 or 4", "found rank 1: (32,)"}},
      {with("q.npy", "narrow.npy", "v.npy"), {"narrow.npy", "expected k of q's head_dim 8", "found 6"}},
      {with("q.npy", "k.npy", "short.npy"),
       {"short.npy", "expected v like k", "found (2, 4, 8) beside (2, 5, 8)"}},
      {with("q.npy", "three.npy", "three.npy"),
       {"three.npy", "expected", "divides the 4 query heads", "found 3"}},
      {with("q.npy", "square.npy", "square.npy"), {"square.npy", "expected --layout", "(2, 2, 8)"}},
      {with("q.npy", "byte.npy", "byte.npy"), {"byte.npy", "expected a number type", "found |V1"}},
      {good + Arguments{"--kv-lens", "6"}, {"expected KV lengths from 0 to 5", "found 6"}},
      {good + Arguments{"--kv-lens", "5,5"},
       {"expected one KV length per sequence", "found 2 lengths for 1 sequence"}},
      {good + Arguments{"--kv-lens", "five"}, {"--kv-lens", "expected a whole number", "found 'five'"}},
      {good + Arguments{"--kv-lens", "-1"}, {"--kv-lens", "expected a whole number from 0", "found '-1'"}},
      {good + Arguments{"--kv-dtype", "bf16"}, {"k.npy", "expected bf16", "found f32"}},
      {good + Arguments{"--kv-dtype", "q8_0"}, {"--kv-dtype", "expected bf16 or e4m3", "found 'q8_0'"}},
      {good + Arguments{"--k-dtype", "bf16"}, {"k.npy", "expected bf16 as --k-dtype says", "found f32"}},
      {good + Arguments{"--v-dtype", "f16"}, {"v.npy", "expected f16 as --v-dtype says", "found f32"}},
      {good + Arguments{"--kv-dtype", "bf16", "--k-dtype", "f32"},
       {"v.npy", "expected bf16 as --kv-dtype says", "found f32"}},
      {with("q.npy", "byte.npy", "v.npy") + Arguments{"--k-dtype", "bf16"},
       {"byte.npy", "expected a number type", "only with --k-dtype e4m3"}},
      {with("q.npy", "byte.npy", "v.npy") + Arguments{"--v-dtype", "f32"},
       {"byte.npy", "expected a number type", "only with --kv-dtype e4m3"}},
      {good + Arguments{"--k-dtype", "int8"},
       {"--k-dtype", "expected f32, f16, bf16 or e4m3", "found 'int8'"}},
      {good + Arguments{"--v-dtype", "E4M3"},
       {"--v-dtype", "expected f32, f16, bf16 or e4m3", "found 'E4M3'"}},
      {good + Arguments{"--k-scale", "0"}, {"--k-scale", "expected a finite number above 0", "found '0'"}},
      {good + Arguments{"--k-scale", "-1"}, {"--k-scale", "expected a finite number above 0", "found '-1'"}},
      {good + Arguments{"--v-scale", "nan"},
       {"--v-scale", "expected a finite number above 0", "found 'nan'"}},
      {good + Arguments{"--v-scale", "inf"},
       {"--v-scale", "expected a finite number above 0", "found 'inf'"}},
      {good + Arguments{"--v-scale", "0"}, {"--v-scale", "expected a finite number above 0", "found '0'"}},
      {good + Arguments{"--tile", "0"}, {"--tile", "expected a whole number from 1", "found '0'"}},
      {good + Arguments{"--tile", "64x"}, {"--tile", "expected a whole number", "found '64x'"}},
      {good + Arguments{"--tile", "99999999999999999999"},
       {"--tile", "expected a whole number", "found '9999"}},
      {good + Arguments{"--streams", "-4"}, {"--streams", "expected", "found '-4'"}},
      {good + Arguments{"--splits", "some"}, {"--splits", "expected", "found 'some'"}},
      {good + Arguments{"--isa", "mmx"}, {"--isa", "expected", "found 'mmx'"}},
      {good + Arguments{"--streams", "2", "--splits", "2"}, {"expected --streams or --splits", "found both"}},
      {good + Arguments{"--method", "softmax"},
       {"--method", "expected standard, online, online-unnormalised, mlo, mlo-unnormalised or lse",
        "found 'softmax'"}},
      {good + Arguments{"--merge", "bush"}, {"--merge", "expected sequential, tree, two-step or flat"}},
      {good + Arguments{"--deal", "cards"}, {"--deal", "expected round-robin, contiguous or balanced"}},
      {good + Arguments{"--layout", "nhbd"}, {"--layout", "expected bhnd or bnhd", "found 'nhbd'"}},
      {good + Arguments{"--scale", "nan"}, {"--scale", "expected a finite number", "found 'nan'"}},
      {good + Arguments{"--scale", "1/8"}, {"--scale", "expected a finite number", "found '1/8'"}},
      {good + Arguments{"--softcap", "-3"}, {"--softcap", "expected a finite number above 0", "found '-3'"}},
      {good + Arguments{"--window", "0"}, {"--window", "expected a whole number from 1", "found '0'"}},
      {good + Arguments{"--sink", folder / "none.npy"}, {"none.npy", "expected", "No such file"}},
      {good + Arguments{"--alibi", good_v},
       {"v.npy", "expected one number per query head", "found (2, 5, 8)"}},
      {good + Arguments{"--alibi", folder / "flat.npy"}, {"expected ALiBi slopes for each of 4", "found 32"}},
      {good + Arguments{"--sink", "nan"}, {"--sink", "expected a finite number or", "found 'nan'"}},
      {good + Arguments{"--sink", "-inf"}, {"--sink", "expected a finite number or", "found '-inf'"}},
      {good + Arguments{"--lse-without-sink"}, {"expected --sink with --lse-without-sink", "found none"}},
      {good + Arguments{"--out-o", ""}, {"--out-o", "expected the name of a file", "found ''"}},
      {good + Arguments{"--out-lse", ""}, {"--out-lse", "expected the name of a file", "found ''"}},
      {good + Arguments{"--lse-base", "10"}, {"--lse-base", "expected e or 2", "found '10'"}},
      {good + Arguments{"--out-dtype", "f64"}, {"--out-dtype", "expected f32, f16 or bf16", "found 'f64'"}},
      {good + Arguments{"--backend", "tpu"}, {"--backend", "expected cpu, cuda or auto", "found 'tpu'"}},
      {good + Arguments{"--splits", "0"},
       {"--splits", "expected a whole number from 1 to", "or auto, found '0'"}},
      {good + Arguments{"--kernel", ""}, {"--kernel", "expected the name of a kernel", "found ''"}},
      {good + Arguments{"--kernel", "one-block", "--backend", "cpu"},
       {"expected --backend cuda with --kernel", "found cpu"}},
      {good + Arguments{"--kernel", "one-block", "--method", "lse"},
       {"expected --method or --kernel", "found both"}},
      {good + Arguments{"--no-such-option"}, {"expected only what --help lists", "found '--no-such-option'"}},
      {good + Arguments{"--out-o", folder / "none/o.npy"},
       {"none/o.npy", "expected to write here", "No such file"}},
      {good + Arguments{"--out-o", folder / "o.npy", "--out-lse", folder / "none/l.npy"},
       {"none/l.npy", "expected"}},
      {good + Arguments{"--out-o", folder / ""}, {"expected to write here", "found: a directory"}},
      {good + Arguments{"--out-o", folder / "x.npy", "--out-lse", folder / "x.npy"},
       {"x.npy", "expected two files", "found one"}},
      {good + Arguments{"--out-o", good_k}, {"k.npy", "expected an output that is no input"}},
      {good + Arguments{"--out-o", folder / "to-x.npy", "--out-lse", folder / "x.npy"},
       {"to-x.npy", "expected two files", "found one"}},
      {good + Arguments{"--json=false"}, {"--json: expected no value", "found one"}},
      {good + Arguments{"--tile"}, {"--tile: expected a value", "found none"}},
      {good + Arguments{"--tile", "4", "--tile", "8"}, {"--tile: expected one value", "found 2"}},
      {good + Arguments{"more", "and"}, {"expected only what --help lists", "found 'more'"}},
      {{"run", "--q", good_q}, {"expected --k", "found none"}},
      {{"run"}, {"expected --q", "found none"}},
      {{"walk"}, {"expected a command of run", "found 'walk'"}},
  };
  for (const Row& row : rows) {
    CAPTURE(fmt::format("{}", fmt::join(row.arguments, " ")));
    check_refused(row.arguments, row.parts);
    CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) == files_before);
  }
}

TEST_CASE("help and info end with 0") {
  CHECK(run_fdlab({"--help"}).out.find("run") != std::string::npos);
  CHECK(run_fdlab({"run", "--help"}).exit_code == 0);
  const ProgramRun info = run_fdlab({"info"});
  CHECK(info.exit_code == 0);
  CHECK(info.out.find("CUDA") != std::string::npos);
  CHECK(info.out.find("ISA") != std::string::npos);
  CHECK(info.err.empty());
}

TEST_CASE("without a window beside it, the program says so and ends with 3") {
  const TemporaryFolder folder;
  std::filesystem::copy_file(FDLAB_CLI, folder / "fdlab");
  for (const Arguments& arguments :
       {Arguments{}, Arguments{"--offscreen", "--lesson", "x"}, Arguments{"render"}}) {
    const ProgramRun run = run_program(folder / "fdlab", arguments);
    CHECK(run.exit_code == 3);
    CHECK(is_one_line(run.err));
    CHECK(run.err.find("fdlab-window") != std::string::npos);
  }
}

// Problems with expected outputs that were computed outside this project: extended-precision vectors and rows of real
// decoders. What each is stands in the meta.json beside it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/io/load_problem.h"
#include "core/io/npy.h"

namespace fdlab {

struct TestVector {
  std::string name;
  std::string folder, prefix, o_name, lse_name;
  ProblemOptions options;

  LoadedProblem load() const {
    auto loaded = load_problem(file("q"), file("k"), file("v"), options);
    REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.fault().sentence));
    return std::move(*loaded);
  }
  std::vector<double> expected_o() const { return values(file(o_name)); }
  std::vector<double> expected_lse() const { return values(file(lse_name)); }
  std::string file(const std::string& tensor) const { return folder + "/" + prefix + tensor + ".npy"; }

 private:
  static std::vector<double> values(const std::string& path) {
    const auto tensor = read_npy(path);
    REQUIRE_MESSAGE(tensor, (tensor ? "" : tensor.fault().sentence));
    std::vector<double> all;
    for (std::int64_t i = 0; i < tensor->num_elements(); ++i) all.push_back(tensor->element(i));
    return all;
  }
};

inline std::vector<TestVector> all_vectors() {
  const std::string data = FDLAB_TEST_DATA;
  std::vector<TestVector> all;
  for (const char* name : {"double", "equal-keys", "gqa-group4", "mqa-bf16", "near-tie-12800", "one-key",
                           "ragged", "scores-1e4", "tile-plus-one"}) {
    TestVector vector{name, data + "/vectors/" + name, "", "o", "lse", {}};
    if (vector.name == "ragged") vector.options.kv_lens = {70, 1, 33, 0};
    all.push_back(vector);
  }
  const auto real = [&](const std::string& name, const std::string& folder, std::optional<double> scale) {
    for (const char* layer : {"layer0_", "layer1_", "layer2_"}) {
      TestVector vector{name + " " + layer, folder, layer, "o_expected", "lse_expected", {}};
      vector.options.scale = scale;
      all.push_back(vector);
    }
  };
  real("stories260k", FDLAB_SOURCE_DIR "/lessons/data/stories260k", std::nullopt);
  real("stories260k_2docs", data + "/stories260k_2docs", std::nullopt);
  real("minigpt_hd32", data + "/minigpt_hd32", 0.08838834764831843);
  return all;
}

}  // namespace fdlab

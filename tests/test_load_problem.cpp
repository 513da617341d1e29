#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/io/load_problem.h"
#include "core/io/npy.h"
#include "tests/temporary_folder.h"

using namespace fdlab;

namespace {

using Shape = std::vector<std::int64_t>;

/// Element i holds i.
Tensor counting(const char* name, Shape shape, DType type = DType::f32) {
  std::vector<float> values(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(values.begin(), values.end(), 0.0f);
  return make_tensor(name, std::move(shape), type, values);
}

/// The same as a file of the folder.
void put(const TemporaryFolder& folder, const char* name, Shape shape, DType type) {
  auto staged = stage_npy(folder / name, counting(name, std::move(shape), type));
  REQUIRE(staged);
  REQUIRE_FALSE(staged->commit());
}

Result<LoadedProblem> assemble(Shape q, Shape k, Shape v, const ProblemOptions& options = {}) {
  return assemble_problem(counting("q.npy", q), counting("k.npy", k), counting("v.npy", v), options);
}

}  // namespace

TEST_CASE("q of rank 2, 3 and 4; o and lse drop the axes that q lacks") {
  const auto rank2 = assemble({8, 16}, {4, 346, 16}, {4, 346, 24});
  REQUIRE(rank2);
  const DecodeProblem& p = rank2->problem;
  CHECK(p.batch == 1);
  CHECK(p.q_heads == 8);
  CHECK(p.kv_heads == 4);
  CHECK(p.q_len == 1);
  CHECK(p.kv_len == 346);
  CHECK(p.head_dim == 16);
  CHECK(p.v_head_dim == 24);
  CHECK(p.scale == 0.25);
  CHECK(rank2->o_shape == Shape{8, 24});
  CHECK(rank2->lse_shape == Shape{8});
  CHECK(rank2->notes.empty());

  const auto rank3 = assemble({2, 8, 16}, {2, 4, 7, 16}, {2, 4, 7, 16});
  REQUIRE(rank3);
  CHECK(rank3->problem.batch == 2);
  CHECK(rank3->o_shape == Shape{2, 8, 16});
  CHECK(rank3->lse_shape == Shape{2, 8});

  const auto rank4 = assemble({2, 8, 3, 16}, {2, 4, 7, 16}, {2, 4, 7, 5});
  REQUIRE(rank4);
  CHECK(rank4->problem.q_len == 3);
  CHECK(rank4->o_shape == Shape{2, 8, 3, 5});
  CHECK(rank4->lse_shape == Shape{2, 8, 3});

  CHECK(assemble({8, 16}, {1, 4, 7, 16}, {1, 4, 7, 16}));  // one sequence, with and without its axis
  CHECK(assemble({1, 8, 16}, {4, 7, 16}, {4, 7, 16}));
}

TEST_CASE("both layouts find the same element") {
  ProblemOptions options;
  options.layout = Layout::bnhd;
  const auto bnhd = assemble({2, 4, 3}, {2, 5, 2, 3}, {2, 5, 2, 6}, options);
  REQUIRE(bnhd);
  const DecodeProblem& p = bnhd->problem;
  CHECK(p.kv_heads == 2);
  CHECK(p.kv_len == 5);
  CHECK(p.k.at(1, 1, 4, 2) == ((1 * 5 + 4) * 2 + 1) * 3 + 2);  // (batch, token, head, component) as stored
  CHECK(p.v.at(1, 0, 3, 5) == ((1 * 5 + 3) * 2 + 0) * 6 + 5);

  const auto bhnd = assemble({2, 4, 3}, {2, 2, 5, 3}, {2, 2, 5, 6});
  REQUIRE(bhnd);
  CHECK(bhnd->problem.k.at(1, 1, 4, 2) == ((1 * 2 + 1) * 5 + 4) * 3 + 2);
  CHECK(bhnd->problem.q.at(1, 3, 0, 2) == (1 * 4 + 3) * 3 + 2);
}

TEST_CASE("a shape that can be read either way needs --layout, and one that nearly can brings a note") {
  const auto square = assemble({4, 8}, {4, 4, 8}, {4, 4, 8});
  REQUIRE_FALSE(square);
  CHECK(square.fault().sentence ==
        "k.npy: expected --layout bhnd or bnhd, since (4, 4, 8) can be read either way, found none");
  ProblemOptions options;
  options.layout = Layout::bnhd;
  CHECK(assemble({4, 8}, {4, 4, 8}, {4, 4, 8}, options));

  const auto one_key = assemble({2, 8}, {2, 1, 8}, {2, 1, 8});
  REQUIRE(one_key);
  CHECK(one_key->problem.kv_len == 1);
  REQUIRE(one_key->notes.size() == 1);
  CHECK(one_key->notes[0].find("2 KV heads, kv_len 1; --layout bnhd would read 1 and 2") !=
        std::string::npos);
}

TEST_CASE("zero lengths are problems too") {
  const auto no_keys = assemble({2, 8}, {2, 0, 8}, {2, 0, 8});
  REQUIRE(no_keys);
  CHECK(no_keys->problem.kv_len == 0);
  const auto no_sequences = assemble({0, 2, 8}, {0, 2, 5, 8}, {0, 2, 5, 8});
  REQUIRE(no_sequences);
  CHECK(no_sequences->problem.batch == 0);
}

TEST_CASE("what does not fit together is refused, naming the file and both shapes") {
  struct Row {
    Shape q, k, v;
    const char* sentence;
  };
  const Row rows[] = {
      {{16}, {4, 7, 16}, {4, 7, 16}, "q.npy: expected q of rank 2, 3 or 4, found rank 1: (16,)"},
      {{}, {4, 7, 16}, {4, 7, 16}, "q.npy: expected q of rank 2, 3 or 4, found rank 0: ()"},
      {{1, 1, 1, 8, 16},
       {4, 7, 16},
       {4, 7, 16},
       "q.npy: expected q of rank 2, 3 or 4, found rank 5: (1, 1, 1, 8, 16)"},
      {{8, 16}, {7, 16}, {7, 16}, "k.npy: expected k of rank 3 or 4, found rank 2: (7, 16)"},
      {{8, 16}, {4, 7, 16}, {1, 4, 7, 16}, "v.npy: expected v of k's rank 3, found rank 4: (1, 4, 7, 16)"},
      {{8, 16},
       {4, 7, 12},
       {4, 7, 16},
       "k.npy: expected k of q's head_dim 16, found 12: q is (8, 16), k is (4, 7, 12)"},
      {{8, 16},
       {4, 7, 16},
       {4, 6, 16},
       "v.npy: expected v like k but for the last axis, found (4, 6, 16) beside (4, 7, 16)"},
      {{2, 8, 16},
       {4, 7, 16},
       {4, 7, 16},
       "k.npy: expected k for 2 sequences as in q, found 1: q is (2, 8, 16), k is (4, 7, 16)"},
      {{0, 16}, {4, 7, 16}, {4, 7, 16}, "q.npy: expected at least one query head, found (0, 16)"},
      {{8, 0}, {4, 7, 0}, {4, 7, 16}, "q.npy: expected a head_dim of at least 1, found (8, 0)"},
      {{8, 16}, {4, 7, 16}, {4, 7, 0}, "expected head_dim and v_head_dim of at least 1, found 16 and 0"},
  };
  for (const Row& row : rows) {
    const auto problem = assemble(row.q, row.k, row.v);
    REQUIRE_FALSE(problem);
    CHECK(problem.fault().sentence == row.sentence);
  }
}

TEST_CASE("C35: query heads that are no multiple of the KV heads are refused") {
  for (const auto& [q_heads, kv_heads] : {std::pair{3, 2}, {33, 2}, {2, 0}, {2, 4}}) {
    const auto problem = assemble({q_heads, 8}, {kv_heads, 7, 8}, {kv_heads, 7, 8});
    REQUIRE_FALSE(problem);
    CHECK(problem.fault().sentence.find(std::to_string(q_heads) + " query heads, found " +
                                        std::to_string(kv_heads)) != std::string::npos);
  }
  const auto swapped = assemble({8, 16}, {346, 4, 16}, {346, 4, 16});
  REQUIRE_FALSE(swapped);
  CHECK(swapped.fault().sentence.find("--layout bnhd would fit") != std::string::npos);
}

TEST_CASE("KV lengths and the scale are checked") {
  const auto with = [](std::vector<std::int64_t> kv_lens, std::optional<double> scale = std::nullopt) {
    ProblemOptions options;
    options.kv_lens = std::move(kv_lens);
    options.scale = scale;
    return assemble({3, 2, 8}, {3, 2, 5, 8}, {3, 2, 5, 8}, options);
  };
  REQUIRE(with({5, 0, 1}));
  CHECK(with({5, 0, 1})->problem.kv_len_of(1) == 0);
  CHECK_FALSE(with({5, 0}));
  CHECK_FALSE(with({5, 0, 6}));
  CHECK_FALSE(with({5, 0, -1}));
  CHECK(with({}, 0.0)->problem.scale == 0);
  CHECK_FALSE(with({}, std::nan("")));
  CHECK_FALSE(with({}, INFINITY));
}

TEST_CASE("files: the declared number type must be the stored one") {
  const TemporaryFolder folder;
  put(folder, "q.npy", {2, 4}, DType::f32);
  put(folder, "k.npy", {2, 3, 4}, DType::bf16);
  put(folder, "v.npy", {2, 3, 4}, DType::bf16);
  put(folder, "v16.npy", {2, 3, 4}, DType::f16);
  ProblemOptions options;
  const auto undeclared = load_problem(folder / "q.npy", folder / "k.npy", folder / "v.npy", options);
  REQUIRE(undeclared);
  CHECK(undeclared->notes.size() >= 2);
  options.kv_dtype = DType::bf16;
  CHECK(load_problem(folder / "q.npy", folder / "k.npy", folder / "v.npy", options));
  const auto mixed = load_problem(folder / "q.npy", folder / "k.npy", folder / "v16.npy", options);
  REQUIRE_FALSE(mixed);
  CHECK(mixed.fault().sentence.find("v16.npy: expected bf16 as --kv-dtype says, found f16") !=
        std::string::npos);
  CHECK_FALSE(load_problem(folder / "none.npy", folder / "k.npy", folder / "v.npy", options));
}

TEST_CASE("files: a type declared for keys or values alone wins over that for both, and names its option") {
  const TemporaryFolder folder;
  put(folder, "q.npy", {2, 4}, DType::f32);
  put(folder, "e4m3.npy", {2, 3, 4}, DType::e4m3);
  put(folder, "f16.npy", {2, 3, 4}, DType::f16);
  using Type = std::optional<DType>;
  const auto load = [&](const char* k, const char* v, Type kv_dtype, Type k_dtype, Type v_dtype) {
    ProblemOptions options;
    options.kv_dtype = kv_dtype, options.k_dtype = k_dtype, options.v_dtype = v_dtype;
    return load_problem(folder / "q.npy", folder / k, folder / v, options);
  };
  const Type none, e4m3 = DType::e4m3, f16 = DType::f16, bf16 = DType::bf16;
  for (const auto& loaded :
       {load("e4m3.npy", "f16.npy", none, e4m3, none), load("e4m3.npy", "f16.npy", e4m3, none, f16),
        load("e4m3.npy", "f16.npy", bf16, e4m3, f16)}) {
    REQUIRE(loaded);
    CHECK(loaded->problem.k.type == DType::e4m3);
    CHECK(loaded->problem.v.type == DType::f16);
    CHECK(loaded->problem.k.at(0, 1, 0, 1) == 13);
  }
  CHECK(load("f16.npy", "e4m3.npy", e4m3, f16, none)->problem.v.type == DType::e4m3);

  const auto sentence = [&](const Result<LoadedProblem>& loaded) {
    REQUIRE_FALSE(loaded);
    const std::string& all = loaded.fault().sentence;
    return all.substr(all.rfind('/') + 1);
  };
  CHECK(sentence(load("f16.npy", "f16.npy", none, e4m3, none)) ==
        "f16.npy: expected e4m3 as --k-dtype says, found f16");
  CHECK(sentence(load("f16.npy", "f16.npy", none, f16, bf16)) ==
        "f16.npy: expected bf16 as --v-dtype says, found f16");
  CHECK(sentence(load("f16.npy", "f16.npy", e4m3, f16, none)) ==
        "f16.npy: expected e4m3 as --kv-dtype says, found f16");
  CHECK(sentence(load("e4m3.npy", "f16.npy", e4m3, bf16, none)) ==
        "e4m3.npy: expected a number type, found |V1, which is read as e4m3 only with --k-dtype e4m3");
  CHECK(sentence(load("f16.npy", "e4m3.npy", none, f16, none)) ==
        "e4m3.npy: expected a number type, found |V1, which is read as e4m3 only with --kv-dtype e4m3");
}

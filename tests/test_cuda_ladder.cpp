#include "cuda/ladder.h"

#include "tests/cuda_expect.h"

using namespace fdlab;

namespace {

const ProblemShape kShapes[] = {
    {1, 1, 1, 1, 1, 64, 64},
    {1, 4, 1, 1, 257, 64, 64},
    {2, 6, 2, 1, 255, 128, 128},
    {1, 8, 8, 2, 300, 128, 128},
    {2, 16, 2, 1, 129, 80, 80},
    {1, 8, 1, 1, 515, 96, 96},
    {1, 3, 1, 3, 77, 40, 40},
    {1, 5, 1, 1, 130, 33, 17},
    {1, 2, 1, 1, 70, 256, 256},
    {1, 4, 2, 8, 65, 64, 64},
    {3, 4, 2, 1, 200, 128, 128, DType::f32, {200, 0, 33}},
    {2, 16, 1, 2, 180, 64, 64, DType::f32, {1, 180}},
};

}  // namespace

TEST_CASE("the ladder is numbered from 1 without a gap and every name stands once") {
  int number = 1;
  for (const Rung& rung : ladder()) {
    CHECK(rung.number == number++);
    for (const Rung& other : ladder()) CHECK((&other == &rung || std::string(other.name) != rung.name));
  }
  CHECK(ladder().size() == 7);
}

TEST_CASE("every rung equals plain attention for every type and shape it takes, with poisoned memory") {
  for (const Rung& rung : ladder()) {
    int taken = 0;
    for (const DType type : kKvTypes)
      for (ProblemShape shape : kShapes)
        for (const int splits : {0, 1, 3, 16}) {
          shape.type = type;
          const CudaCase random(shape, 7);
          const Result<UploadedProblem> uploaded = UploadedProblem::of(random.problem);
          REQUIRE(uploaded);
          if (rung.find_refusal(uploaded->problem())) continue;
          CAPTURE(std::string(rung.name));
          CAPTURE(std::string(name_of(type)));
          CAPTURE(shape.kv_len);
          CAPTURE(shape.head_dim);
          CAPTURE(splits);
          expect_right(random.problem, run_poisoned(random.problem, {.num_splits = splits}, rung.launch));
          ++taken;
        }
    CHECK(taken >= 2 * 6 * 4);
  }
}

TEST_CASE("every rung obeys causal mask, window, softcap, ALiBi and sinks, one by one and together") {
  struct Switch {
    const char* name;
    void (*set)(ScoreRules&);
  };
  const Switch switches[] = {
      {"causal", [](ScoreRules& r) { r.causal = true; }},
      {"window", [](ScoreRules& r) { r.causal = true, r.window = 37; }},
      {"softcap", [](ScoreRules& r) { r.softcap = 1.5; }},
      {"alibi",
       [](ScoreRules& r) {
         r.alibi_slopes = {0.5, 0.25, 0.125, 0.0625};
       }},
      {"sinks",
       [](ScoreRules& r) {
         r.sinks = {4, -3, 0, 2};
       }},
      {"sinks left out of LSE",
       [](ScoreRules& r) {
         r.sinks = {4, -3, 0, 2}, r.lse_includes_sink = false;
       }},
      {"all",
       [](ScoreRules& r) {
         r = {true, 50, 2.0, {0.5, 0.25, 0.125, 0.0625}, {1, -1, 3, 0}, true};
       }},
  };
  for (const Rung& rung : ladder())
    for (const Switch& which : switches)
      for (const int splits : {1, 5}) {
        CudaCase random({2, 4, 2, 3, 150, 64, 64, DType::f16, {150, 40}}, 3);
        which.set(random.problem.rules);
        CAPTURE(std::string(rung.name));
        CAPTURE(std::string(which.name));
        CAPTURE(splits);
        expect_right(random.problem, run_poisoned(random.problem, {.num_splits = splits}, rung.launch));
      }
}

TEST_CASE(
    "every rung gives zeros and -inf to empty sequences, and takes no sequence at all "
    "(flash-attention#1155)") {
  for (const Rung& rung : ladder()) {
    CAPTURE(std::string(rung.name));
    const CudaCase none({2, 2, 1, 1, 8, 64, 64, DType::f16, {0, 0}});
    for (const int splits : {1, 4}) {
      const DeviceOutput out = run_poisoned(none.problem, {.num_splits = splits}, rung.launch);
      for (const float o : out.o) CHECK(o == 0);
      for (const float lse : out.lse_ln) CHECK(lse == -INFINITY);
    }
    CHECK(run_poisoned(CudaCase({0, 2, 1, 1, 8, 64, 64, DType::f16}).problem, {}, rung.launch).o.empty());
    const DeviceOutput slotless =
        run_poisoned(CudaCase({1, 2, 1, 1, 0, 64, 64, DType::f16}).problem, {}, rung.launch);
    for (const float lse : slotless.lse_ln) CHECK(lse == -INFINITY);
  }
}

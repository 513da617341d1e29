// The small pieces under the fast executor, timed alone and warm: one merge of two partials, one exp, one tile. To be run
// with OMP_NUM_THREADS=1.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "core/math/partial.h"
#include "cpu/fast_executor.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

/// o of 128 components; statistics that neither side wins.
template <class Form>
void merge_of_partials(benchmark::State& state) {
  PartialOf<Form> a = empty_partial<Form>(128), b = a;
  fold(a, Form::of(0.5f), std::vector<float>(128, 1.0f));
  fold(b, Form::of(0.75f), std::vector<float>(128, 2.0f));
  const typename Form::Stats before = a.stats;
  for (auto _ : state) {
    a.stats = before;
    fold(a, b);
    benchmark::DoNotOptimize(a.payload.data());
  }
}

/// The weight of a key below the maximum, as the scalar forms take it.
template <class Exp>
void exp_of_score(benchmark::State& state) {
  std::vector<float> scores(1024);
  std::mt19937 random(1);
  for (float& score : scores) score = -std::uniform_real_distribution<float>(0, 20)(random);
  for (auto _ : state)
    for (const float score : scores) benchmark::DoNotOptimize(exp_below<Exp>(score, 0.0f));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scores.size()));
}

/// One stream of one tile, K and V in the cache; state.range: keys, then query heads on the one KV head.
void one_tile(benchmark::State& state, DType type) {
  ProblemShape shape;
  shape.kv_len = state.range(0);
  shape.q_heads = state.range(1);
  shape.head_dim = shape.v_head_dim = 128;
  shape.type = type;
  const RandomProblem random(shape);
  const DecodePlan plan{.tile_size = shape.kv_len};
  for (auto _ : state)
    benchmark::DoNotOptimize(
        decode_fast(random.problem, Method::lse, plan, available_isas().front()).output.o.data());
  state.SetBytesProcessed(state.iterations() * 2 * shape.kv_len * 128 *
                          static_cast<std::int64_t>(size_in_bytes(type)));
}

}  // namespace

BENCHMARK(merge_of_partials<MlNormalised<float>>);
BENCHMARK(merge_of_partials<MlUnnormalised<float>>);
BENCHMARK(merge_of_partials<Lse<float>>);
BENCHMARK(exp_of_score<BaseE>);
BENCHMARK(exp_of_score<Base2>);
BENCHMARK_CAPTURE(one_tile, f32, DType::f32)->Args({256, 1})->Args({256, 4})->Args({256, 8});
BENCHMARK_CAPTURE(one_tile, bf16, DType::bf16)->Args({256, 1})->Args({256, 4})->Args({256, 8});
BENCHMARK_MAIN();

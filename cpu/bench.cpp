#include "cpu/bench.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

#include "core/compare/tolerance.h"
#include "cpu/bench_peers.h"
#include "cpu/check.h"
#include "cpu/fast_executor.h"

namespace fdlab {
namespace {

double time_us_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Reads K and V once, on `threads` threads, each its own slice of both.
void read_all(const DecodeProblem& p, const Isa& isa, std::size_t turn, int threads) {
  const auto bytes = static_cast<std::size_t>(p.kv_heads * p.kv_len * p.head_dim) * size_in_bytes(p.k.type);
  const std::size_t slice = bytes / static_cast<std::size_t>(threads) / 4096 * 4096;
  std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const std::size_t offset = slice * static_cast<std::size_t>(omp_get_thread_num());
    sum += isa.read_streams(static_cast<const std::byte*>(p.k.data) + offset,
                            static_cast<const std::byte*>(p.v.data) + offset, slice, turn);
  }
  [[maybe_unused]] static volatile std::uint64_t kept;
  kept = sum;
}

/// Reads what the executor reads, by the fastest of the access patterns.
class Ceiling {
 public:
  Ceiling(BenchProblem& problem, const Isa& isa) : problem_(problem), isa_(isa), turn_(best_turn()) {}

  double time_us(int threads) { return time_us(turn_, threads); }

  /// All threads over one.
  double thread_gain() {
    std::vector<double> one, all;
    for (int i = 0; i < 5; ++i) {
      one.push_back(time_us(1));
      all.push_back(time_us(omp_get_max_threads()));
    }
    return median(one) / median(all);
  }

 private:
  double time_us(std::size_t turn, int threads) {
    const DecodeProblem p = problem_.next();
    return time_us_of([&] { read_all(p, isa_, turn, threads); });
  }
  std::size_t best_turn() {
    std::vector<std::pair<double, std::size_t>> tried;
    for (const std::size_t turn : {0, 256, 512}) {
      std::vector<double> times;
      for (int i = 0; i < 7; ++i) times.push_back(time_us(turn, omp_get_max_threads()));
      tried.emplace_back(median(times), turn);
    }
    return std::min_element(tried.begin(), tried.end())->second;
  }

  BenchProblem& problem_;
  const Isa& isa_;
  std::size_t turn_;
};

struct Paired {
  double time_us, ceiling_us, ratio;  ///< medians
};

/// Each sample between two of the ceiling.
Paired time_paired(BenchProblem& problem, Ceiling& ceiling, int rounds, const auto& work) {
  std::vector<double> ratios, times, ceilings;
  for (int i = 0; i < rounds; ++i) {
    const double before = ceiling.time_us(omp_get_max_threads());
    const DecodeProblem p = problem.next();
    times.push_back(time_us_of([&] { work(p); }));
    ceilings.push_back((before + ceiling.time_us(omp_get_max_threads())) / 2);
    ratios.push_back(ceilings.back() / times.back());
  }
  return {median(times), median(ceilings), median(ratios)};
}

/// Whether a peer's output is the executor's, which has been held against the oracle.
bool agree(const std::vector<float>& found, const std::vector<float>& expected) {
  const std::vector<double> a(found.begin(), found.end()), b(expected.begin(), expected.end());
  const Tolerance tolerance = default_tolerance(DType::f32, DType::f32);
  return judge_within(a, b, DType::f32, tolerance).outcome == Outcome::passed;
}

/// Those that take this shape. Without groups a matrix product is a matrix-vector product.
std::vector<BenchPeer> peers_for(const BenchShape& shape) {
  if (shape.type != DType::f32) return {};
  std::vector<BenchPeer> peers = bench_peers();
  if (shape.q_heads == shape.kv_heads)
    std::erase_if(peers, [](const BenchPeer& peer) { return peer.name == "openblas-gemm"; });
  return peers;
}

std::vector<BenchShape> in_types(std::initializer_list<BenchShape> shapes,
                                 std::initializer_list<DType> types) {
  std::vector<BenchShape> all;
  for (BenchShape shape : shapes)
    for (const DType type : types) {
      shape.type = type;
      all.push_back(shape);
    }
  return all;
}

}  // namespace

std::vector<BenchShape> bench_shapes() {
  constexpr DType kAny = DType::f32;
  return in_types({{32, 32, 4096, 128, kAny},
                   {32, 8, 4096, 128, kAny},
                   {32, 8, 32768, 128, kAny},
                   {8, 1, 65536, 128, kAny},
                   {32, 32, 16384, 128, kAny}},
                  {DType::f32, DType::f16, DType::bf16});
}

std::vector<BenchShape> quick_bench_shapes() {
  constexpr DType kAny = DType::f32;
  return in_types({{32, 32, 4096, 128, kAny}, {32, 8, 4096, 128, kAny}, {8, 1, 16384, 128, kAny}},
                  {DType::f32, DType::bf16});
}

BenchResult bench_cpu(const BenchShape& shape, const Isa& isa, const BenchOptions& options) {
  BenchProblem problem(shape, options.rotated_bytes);
  BenchResult result;
  const DecodeProblem first = problem.next();
  const DecodePlan plan = automatic_plan(first);
  const std::vector<BenchPeer> peers = peers_for(shape);
  const DecodeOutput output = decode_fast(first, Method::lse, plan, isa).output;
  if (check_against_oracle(first, output.o, output.lse_ln, DType::f32).failed())
    result.differing = "the executor";
  for (const BenchPeer& peer : peers)
    if (!agree(peer.attention(first), output.o)) result.differing = peer.name;
  result.outcome = result.differing.empty() ? Outcome::passed : Outcome::failed;
  if (result.outcome == Outcome::failed) return result;

  result.splits = plan.num_streams;
  result.threads = omp_get_max_threads();
  Ceiling ceiling(problem, isa);
  result.thread_gain = ceiling.thread_gain();
  const Paired executor = time_paired(problem, ceiling, options.rounds, [&](const DecodeProblem& p) {
    decode_fast(p, Method::lse, plan, isa);
  });
  result.time_us = executor.time_us, result.ceiling_us = executor.ceiling_us, result.ratio = executor.ratio;
  for (const BenchPeer& peer : peers) {
    const Paired paired = time_paired(problem, ceiling, options.rounds, peer.attention);
    result.peers.push_back({peer.name, paired.time_us, paired.ratio});
  }
  return result;
}

double measure_thread_gain(const Isa& isa) {
  BenchProblem problem({8, 8, 8192, 128, DType::f32}, std::int64_t{1} << 28);
  return Ceiling(problem, isa).thread_gain();
}

double estimate_bench_s(const std::vector<BenchShape>& shapes, const BenchOptions& options) {
  constexpr double kReadPerS = 2e10, kCopiedPerS = 6e8, kScoredPerS = 1.2e7;
  double seconds = 1;
  for (const BenchShape& s : shapes) {
    const double executor = options.rounds + 6, peers = s.type == DType::f32 ? 15 * options.rounds : 0;
    const double read = static_cast<double>(s.kv_bytes()) * (executor + peers + 2 * options.rounds + 31);
    const auto copied = static_cast<double>(std::max(2 * s.kv_bytes(), options.rotated_bytes));
    const auto scored = static_cast<double>(s.q_heads * s.kv_len * s.head_dim);  // by the oracle
    seconds += read / kReadPerS + copied / kCopiedPerS + scored / kScoredPerS;
  }
  return seconds;
}

bool is_claimable(int threads, double thread_gain) {
  return threads == 1 || thread_gain >= kClaimableThreadGain;
}

}  // namespace fdlab

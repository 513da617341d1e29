#include "cpu/bench.h"

#include <omp.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "core/io/tensor.h"
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

std::vector<float> normal_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> block(1 << 16), numbers(static_cast<std::size_t>(count));
  for (float& x : block) x = normal(random);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = block[(i + i / block.size() * 7) % block.size()];
  return numbers;
}

/// Copies of one problem's K and V that take turns, so that none is in a cache when its turn comes.
class RotatedProblem {
 public:
  RotatedProblem(const BenchShape& s, std::int64_t rotated_bytes) : shape_(s) {
    q_ = make_tensor("q", {1, s.q_heads, 1, s.head_dim}, DType::f32,
                     normal_numbers(s.q_heads * s.head_dim, 1));
    const std::int64_t copies = std::max<std::int64_t>(2, (rotated_bytes + kv_bytes() - 1) / kv_bytes());
    const std::vector<std::int64_t> kv_shape{1, s.kv_heads, s.kv_len, s.head_dim};
    for (std::int64_t i = 0; i < 2 * copies; ++i)
      kv_.push_back(
          make_tensor("kv", kv_shape, s.type,
                      normal_numbers(s.kv_heads * s.kv_len * s.head_dim, static_cast<unsigned>(2 + i % 2))));
  }

  std::int64_t kv_bytes() const {
    return 2 * shape_.kv_heads * shape_.kv_len * shape_.head_dim *
           static_cast<std::int64_t>(size_in_bytes(shape_.type));
  }
  /// The problem on the copy whose turn it is.
  DecodeProblem next() {
    turn_ = (turn_ + 1) % (kv_.size() / 2);
    DecodeProblem p;
    p.q_heads = shape_.q_heads;
    p.kv_heads = shape_.kv_heads;
    p.kv_len = shape_.kv_len;
    p.head_dim = p.v_head_dim = shape_.head_dim;
    p.scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
    const auto strides = c_order_strides(shape_.kv_heads, shape_.kv_len, shape_.head_dim);
    p.q = {q_.data.get(), q_.type, c_order_strides(shape_.q_heads, 1, shape_.head_dim)};
    p.k = {kv_[2 * turn_].data.get(), shape_.type, strides};
    p.v = {kv_[2 * turn_ + 1].data.get(), shape_.type, strides};
    return p;
  }

 private:
  BenchShape shape_;
  Tensor q_;
  std::vector<Tensor> kv_;
  std::size_t turn_ = 0;
};

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

constexpr std::size_t kTurns[] = {0, 256, 512};

/// The best of the access patterns, by the median of a few rounds.
std::size_t best_turn(RotatedProblem& rotated, const Isa& isa, int threads) {
  std::vector<std::pair<double, std::size_t>> tried;
  for (const std::size_t turn : kTurns) {
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
      const DecodeProblem p = rotated.next();
      times.push_back(time_us_of([&] { read_all(p, isa, turn, threads); }));
    }
    tried.emplace_back(median(times), turn);
  }
  return std::min_element(tried.begin(), tried.end())->second;
}

double ceiling_us(RotatedProblem& rotated, const Isa& isa, std::size_t turn, int threads) {
  const DecodeProblem p = rotated.next();
  return time_us_of([&] { read_all(p, isa, turn, threads); });
}

/// What anybody writes first: two matrix-vector products and a softmax per head, heads over threads.
void naive_eigen(const DecodeProblem& p) {
  using Rows = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using Row = Eigen::Map<const Eigen::VectorXf>;
  std::vector<float> o(static_cast<std::size_t>(p.q_heads * p.head_dim));
#pragma omp parallel for schedule(static)
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    const std::int64_t head = p.kv_head_of(h) * p.kv_len * p.head_dim;
    const Rows k(static_cast<const float*>(p.k.data) + head, p.kv_len, p.head_dim);
    const Rows v(static_cast<const float*>(p.v.data) + head, p.kv_len, p.head_dim);
    const Row q(static_cast<const float*>(p.q.data) + h * p.head_dim, p.head_dim);
    const Eigen::ArrayXf scores = (k * q).array() * static_cast<float>(p.scale);
    const Eigen::ArrayXf exps = (scores - scores.maxCoeff()).exp();
    Eigen::Map<Eigen::VectorXf>(o.data() + h * p.head_dim, p.head_dim).noalias() =
        v.transpose() * (exps / exps.sum()).matrix();
  }
}

/// The median of ceiling time / time over the rounds, each sample between two of the ceiling.
template <class Work>
double paired_ratio(RotatedProblem& rotated, const Isa& isa, std::size_t turn, int rounds, const Work& work,
                    BenchResult* result) {
  std::vector<double> ratios, times, ceilings;
  for (int i = 0; i < rounds; ++i) {
    const double before = ceiling_us(rotated, isa, turn, omp_get_max_threads());
    const DecodeProblem p = rotated.next();
    times.push_back(time_us_of([&] { work(p); }));
    ceilings.push_back((before + ceiling_us(rotated, isa, turn, omp_get_max_threads())) / 2);
    ratios.push_back(ceilings.back() / times.back());
  }
  if (result) {
    result->time_us = median(times);
    result->ceiling_us = median(ceilings);
  }
  return median(ratios);
}

}  // namespace

std::vector<BenchShape> bench_shapes() {
  std::vector<BenchShape> shapes;
  for (const auto& [q_heads, kv_heads, kv_len] :
       {std::tuple{32, 32, 4096}, {32, 8, 4096}, {32, 8, 32768}, {8, 1, 65536}, {32, 32, 16384}})
    for (const DType type : {DType::f32, DType::f16, DType::bf16})
      shapes.push_back({q_heads, kv_heads, kv_len, 128, type});
  return shapes;
}

BenchResult bench_cpu(const BenchShape& shape, const Isa& isa, int rounds, std::int64_t rotated_bytes) {
  RotatedProblem rotated(shape, rotated_bytes);
  BenchResult result;
  const DecodeProblem first = rotated.next();
  const DecodePlan plan = automatic_plan(first);
  const FastRun run = decode_fast(first, Method::lse, plan, isa);
  const Check check = check_against_oracle(first, run.output.o, run.output.lse_ln, DType::f32);
  result.outcome = check.failed() ? Outcome::failed : Outcome::passed;
  if (check.failed()) return result;

  result.kv_bytes = rotated.kv_bytes();
  result.splits = plan.num_streams;
  result.threads = omp_get_max_threads();
  const std::size_t turn = best_turn(rotated, isa, result.threads);
  std::vector<double> one, all;
  for (int i = 0; i < 5; ++i) {
    one.push_back(ceiling_us(rotated, isa, turn, 1));
    all.push_back(ceiling_us(rotated, isa, turn, result.threads));
  }
  result.thread_gain = median(one) / median(all);
  result.ratio = paired_ratio(
      rotated, isa, turn, rounds, [&](const DecodeProblem& p) { decode_fast(p, Method::lse, plan, isa); },
      &result);
  if (shape.type == DType::f32)
    result.eigen_ratio = paired_ratio(rotated, isa, turn, rounds, naive_eigen, nullptr);
  return result;
}

}  // namespace fdlab

#include "cpu/bench_problem.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace fdlab {
namespace {

/// A block of normal numbers over and over, turned a little each time: as good for timing as fresh ones, and quick.
std::vector<float> normal_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> block(1 << 16), numbers(static_cast<std::size_t>(count));
  for (float& x : block) x = normal(random);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = block[(i + i / block.size() * 7) % block.size()];
  return numbers;
}

/// The same values in memory of their own.
Tensor copy_of(const Tensor& tensor) {
  const auto bytes = static_cast<std::size_t>(tensor.num_elements()) * size_in_bytes(tensor.type);
  const auto memory = std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  std::memcpy(memory.get(), tensor.data.get(), bytes);
  Tensor copy = tensor;
  copy.data = {memory, memory.get()};
  return copy;
}

}  // namespace

std::int64_t BenchShape::kv_bytes() const {
  return 2 * kv_heads * kv_len * head_dim * static_cast<std::int64_t>(size_in_bytes(type));
}

BenchProblem::BenchProblem(const BenchShape& s, std::int64_t rotated_bytes) : shape_(s) {
  const auto numbers = [&](std::int64_t heads, std::int64_t rows, DType type, unsigned seed) {
    return make_tensor("bench", {1, heads, rows, s.head_dim}, type,
                       normal_numbers(heads * rows * s.head_dim, seed));
  };
  q_ = numbers(s.q_heads, 1, DType::f32, 1);
  k_.push_back(numbers(s.kv_heads, s.kv_len, s.type, 2));
  v_.push_back(numbers(s.kv_heads, s.kv_len, s.type, 3));
  const std::int64_t copies = std::max<std::int64_t>(2, (rotated_bytes + s.kv_bytes() - 1) / s.kv_bytes());
  for (std::int64_t i = 1; i < copies; ++i) {
    k_.push_back(copy_of(k_.front()));
    v_.push_back(copy_of(v_.front()));
  }
}

DecodeProblem BenchProblem::next() {
  turn_ = (turn_ + 1) % k_.size();
  DecodeProblem p;
  p.q_heads = shape_.q_heads;
  p.kv_heads = shape_.kv_heads;
  p.kv_len = shape_.kv_len;
  p.head_dim = p.v_head_dim = shape_.head_dim;
  p.scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
  const auto strides = c_order_strides(shape_.kv_heads, shape_.kv_len, shape_.head_dim);
  p.q = {q_.data.get(), q_.type, c_order_strides(shape_.q_heads, 1, shape_.head_dim)};
  p.k = {k_[turn_].data.get(), shape_.type, strides};
  p.v = {v_[turn_].data.get(), shape_.type, strides};
  return p;
}

}  // namespace fdlab

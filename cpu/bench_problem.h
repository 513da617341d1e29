// The inputs of a timing: copies of one problem's K and V that take turns, so that none is in a cache when its turn comes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/io/tensor.h"
#include "core/problem/problem.h"

namespace fdlab {

struct BenchShape {
  std::int64_t q_heads, kv_heads, kv_len, head_dim;
  DType type;

  std::int64_t kv_bytes() const;  ///< of K and V together
};

class BenchProblem {
 public:
  /// Copies fill at least rotated_bytes; there are two at least.
  BenchProblem(const BenchShape& shape, std::int64_t rotated_bytes);

  /// The problem on the copy whose turn it is.
  DecodeProblem next();

 private:
  BenchShape shape_;
  Tensor q_;
  std::vector<Tensor> k_, v_;
  std::size_t turn_ = 0;
};

}  // namespace fdlab

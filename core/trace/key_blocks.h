// (m, l) of any run of keys, without touching each of them: kept per block of 64 keys and merged with ⊕.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math/merge.h"
#include "core/plan/plan.h"

namespace fdlab {

class KeyBlocks {
 public:
  static constexpr std::int64_t kKeys = 64;

  KeyBlocks() = default;
  explicit KeyBlocks(std::span<const float> scores) {
    const auto count = static_cast<std::int64_t>(scores.size());
    blocks_.reserve(static_cast<std::size_t>((count + kKeys - 1) / kKeys));
    for (std::int64_t begin = 0; begin < count; begin += kKeys)
      blocks_.push_back(one_by_one(scores, {begin, std::min(begin + kKeys, count)}));
  }

  std::int64_t bytes() const { return static_cast<std::int64_t>(blocks_.size() * sizeof blocks_[0]); }

  /// scores: those the blocks were made of.
  MaxSum<float> of(std::span<const float> scores, KeyRange keys) const {
    const std::int64_t first = (keys.begin + kKeys - 1) / kKeys,
                       last = keys.end / kKeys;  // whole blocks inside
    if (first >= last) return one_by_one(scores, keys);
    MaxSum<float> sum = one_by_one(scores, {keys.begin, first * kKeys});
    for (std::int64_t b = first; b < last; ++b)
      sum = Form::merge(sum, blocks_[static_cast<std::size_t>(b)]).stats;
    return Form::merge(sum, one_by_one(scores, {last * kKeys, keys.end})).stats;
  }

 private:
  using Form = MlNormalised<float>;

  static MaxSum<float> one_by_one(std::span<const float> scores, KeyRange keys) {
    MaxSum<float> sum = Form::empty();
    for (std::int64_t key = keys.begin; key < keys.end; ++key)
      sum = Form::merge(sum, Form::of(scores[static_cast<std::size_t>(key)])).stats;
    return sum;
  }

  std::vector<MaxSum<float>> blocks_;
};

}  // namespace fdlab

// One pass over K and V, all query rows of a KV head together, three blocks of keys at a time: while one is scored, the
// scores of the one before become weights, and the values of the one before that are gathered, four keys of each in
// every turn. The memory always has K and V to fetch, and no row waits for the softmax.
#include "cpu/kernel.h"

#include <algorithm>

#include "core/math/online.h"
#include "cpu/turns.h"

namespace fdlab {
namespace {

FD_INLINE Floats at(const float* p) { return hn::LoadU(kFloats, p); }
FD_INLINE void put(Floats x, float* p) { hn::StoreU(x.v, kFloats, p); }

template <class Read, int kRows>
class Stream {
 public:
  explicit Stream(const StreamTask& task) : t_(task), walk_(*task.plan, task.stream, task.keys) {
    const std::int64_t rows = task.num_rows;
    float* free = task.scratch;
    const auto take = [&free](std::int64_t floats) {
      free += floats;
      return free - floats;
    };
    for (Block* block : {&scored_, &weighed_, &gathered_}) {
      block->scores = take(rows * kBlockKeys);
      block->rescale = take(padded(rows));
    }
    block_o_ = take(rows * o_stride());
    l_lanes_ = take(rows * kRowPadding);
    m_ = take(padded(rows));
    block_max_ = take(padded(rows));
  }

  void fold() {
    clear();
    scored_.keys = walk_.next();
    do {
      take_turns();
      hand_over();
    } while (weighed_.size() > 0 || gathered_.size() > 0);
    store_statistics();
  }

 private:
  using Element = typename Read::Element;

  struct Block {
    KeyRange keys;
    float* scores;   // (num_rows, kBlockKeys), then weights
    float* rescale;  // (num_rows), what l and O gathered before this block are multiplied by
    std::int64_t size() const { return keys.size(); }
  };

  void clear() {
    std::fill_n(m_, padded(t_.num_rows), kMinusInfinity);
    std::fill_n(block_max_, padded(t_.num_rows), kMinusInfinity);
    std::fill_n(l_lanes_, t_.num_rows * kRowPadding, 0.0f);
    std::fill_n(block_o_, t_.num_rows * o_stride(), 0.0f);
    std::fill_n(t_.o, t_.num_rows * o_stride(), 0.0f);
  }

  std::int64_t q_stride() const { return padded(t_.problem->head_dim); }
  std::int64_t o_stride() const { return padded(t_.problem->v_head_dim); }

  /// Every block takes its next step.
  void hand_over() {
    if (gathered_.size() > 0) close_block();
    const Block free = gathered_;
    gathered_ = weighed_;
    weighed_ = scored_;
    scored_ = free;
    scored_.keys = walk_.next();
    if (weighed_.size() > 0) open_block();
  }

  void take_turns() {
    next_vector_ = 0;
    if constexpr (kRows == 1) {
      const std::int64_t dim = t_.problem->head_dim;
      if (dim == t_.problem->v_head_dim && dim == 4 * kLanes) return one_row_turns<4>();
      if (dim == t_.problem->v_head_dim && dim == 8 * kLanes) return one_row_turns<8>();
    }
    for_each_turn([&](const auto& k, const auto& v, std::int64_t i, auto scores, auto values) FD_INLINED {
      if (scores) score_rows(k, scored_.scores + i);
      if (values) gather_rows(v, gathered_.scores + i);
    });
  }

  template <int kVectors>
  void one_row_turns() {
    OneRow<Read, kVectors> row(t_.q);
    for_each_turn([&](const auto& k, const auto& v, std::int64_t i, auto scores, auto values) FD_INLINED {
      row.template turn<scores, values>(k, v, scored_.scores + i, gathered_.scores + i);
    });
    row.store_o(block_o_);
  }

  /// turn(rows of K, rows of V, first key's place, whether there are scores, whether there are values), and between the
  /// turns weights.
  FD_INLINE void for_each_turn(const auto& turn) {
    constexpr std::bool_constant<true> kYes;
    constexpr std::bool_constant<false> kNo;
    const DecodeProblem& p = *t_.problem;
    FourRows<Read> k{{}, p.head_dim, p.k.stride[2]}, v{{}, p.v_head_dim, p.v.stride[2]};
    for (std::int64_t i = 0; i < scored_.size() || i < gathered_.size(); i += kKeys) {
      if (i < scored_.size()) point(t_.k, scored_.keys, i, k);
      if (i < gathered_.size()) point(t_.v, gathered_.keys, i, v);
      if (i < scored_.size() && i < gathered_.size()) turn(k, v, i, kYes, kYes);
      else if (i < scored_.size()) turn(k, v, i, kYes, kNo);
      else turn(k, v, i, kNo, kYes);
      weigh((t_.num_rows * kKeys + kLanes - 1) / kLanes);
    }
    weigh(t_.num_rows * kVectorsPerRow);
  }

  /// Rows of keys i … i+3 of a block. Past its end the last row stands in: its score is masked, its weight 0.
  FD_INLINE static void point(const void* base, KeyRange block, std::int64_t i, FourRows<Read>& rows) {
    for (int j = 0; j < kKeys; ++j)
      rows.row[j] =
          static_cast<const Element*>(base) + std::min(block.begin + i + j, block.end - 1) * rows.stride;
  }

  FD_INLINE void score_rows(const FourRows<Read>& k, float* scores) const {
    score_turn<Read, kRows>(k, t_.q, scores, k);
    for (std::int64_t r = kRows; r < t_.num_rows; r += kRows)
      score_turn<Read, kRows>(k, t_.q + r * q_stride(), scores + r * kBlockKeys);
  }
  FD_INLINE void gather_rows(const FourRows<Read>& v, const float* weights) const {
    value_turn<Read, kRows>(v, weights, block_o_, v);
    for (std::int64_t r = kRows; r < t_.num_rows; r += kRows)
      value_turn<Read, kRows>(v, weights + r * kBlockKeys, block_o_ + r * o_stride());
  }

  /// The next `count` vectors of scores → weights, as far as there are any; l gathers them lane by lane.
  __attribute__((flatten)) void weigh(std::int64_t count) {
    const std::int64_t all = weighed_.size() > 0 ? t_.num_rows * kVectorsPerRow : 0;
    for (const std::int64_t end = std::min(all, next_vector_ + count); next_vector_ < end; ++next_vector_) {
      const std::int64_t r = next_vector_ / kVectorsPerRow;
      float* const scores = weighed_.scores + next_vector_ * kLanes;
      const Floats weight = OnlineBlock<Floats, VectorBaseE>{m_[r], weighed_.rescale[r]}.weight(at(scores));
      put(weight, scores);
      put(at(l_lanes_ + r * kRowPadding) + weight, l_lanes_ + r * kRowPadding);
    }
  }

  /// The running maximum moves on, and l with it (core/math/online.h).
  __attribute__((flatten)) void open_block() {
    for (std::int64_t r = 0; r < t_.num_rows; ++r)
      block_max_[r] = finish_scores(r, weighed_.scores + r * kBlockKeys);
    for (std::int64_t r = 0; r < t_.num_rows; r += kLanes) {
      const auto step = OnlineBlock<Floats, VectorBaseE>::begin(at(m_ + r), at(block_max_ + r));
      put(step.m, m_ + r);
      put(step.rescale, weighed_.rescale + r);
    }
    for (std::int64_t r = 0; r < t_.num_rows; ++r) {
      float* const l = l_lanes_ + r * kRowPadding;
      put(at(l) * Floats(weighed_.rescale[r]), l);
    }
  }

  /// q·k → scores, −∞ for keys that the row does not see and for the slots past the block's end; the largest of them.
  float finish_scores(std::int64_t r, float* scores) const {
    const DecodeProblem& p = *t_.problem;
    const KeyRange block = weighed_.keys, visible = t_.rows[r].visible;
    if (p.rules.changes_scores() || visible.begin > block.begin || visible.end < block.end) {
      apply_rules(t_, r, block, scores);
    } else {
      const Floats scale = static_cast<float>(p.scale * p.k_scale);
      for (std::int64_t i = 0; i < block.size(); i += kLanes) put(at(scores + i) * scale, scores + i);
    }
    std::fill(scores + block.size(), scores + kBlockKeys, kMinusInfinity);
    Floats block_max = kMinusInfinity;
    for (std::int64_t i = 0; i < kBlockKeys; i += kLanes) block_max = larger(block_max, at(scores + i));
    return largest_lane(block_max);
  }

  /// O' = r·O + Σ p V. A block's sum is rounded on its own, so O is rounded once a block.
  void close_block() {
    for (std::int64_t r = 0; r < t_.num_rows; ++r) {
      const Floats rescale = gathered_.rescale[r];
      float *const o = t_.o + r * o_stride(), *const block_o = block_o_ + r * o_stride();
      for (std::int64_t c = 0; c < o_stride(); c += kLanes) {
        put(fused_multiply_add(rescale, at(o + c), at(block_o + c)), o + c);
        put(0.0f, block_o + c);
      }
    }
  }

  void store_statistics() const {
    for (std::int64_t r = 0; r < t_.num_rows; ++r) {
      t_.m[r] = m_[r];
      t_.l[r] = first_lane(Floats(hn::SumOfLanes(kFloats, at(l_lanes_ + r * kRowPadding).v)));
    }
  }

  static constexpr std::int64_t kVectorsPerRow = kBlockKeys / kLanes;

  const StreamTask& t_;
  BlockWalk walk_;
  Block scored_{}, weighed_{}, gathered_{};
  float* block_o_;  // (num_rows, padded(v_head_dim)): p V of the gathered block
  float* l_lanes_;  // (num_rows, kRowPadding): what l gathered, in kLanes parts
  float* m_;        // (num_rows), as the next two
  float* block_max_;
  std::int64_t next_vector_ = 0;  // of the weighed block
};

template <class Read>
void fold_rows(const StreamTask& task) {
  if (task.num_rows == 1) return Stream<Read, 1>(task).fold();
  if (task.num_rows == 2) return Stream<Read, 2>(task).fold();
  Stream<Read, 4>(task).fold();
}

}  // namespace

void FD_FOLD_STREAM(const StreamTask& task) {
  switch (task.type) {
    case DType::f16: return fold_rows<ReadF16>(task);
    case DType::bf16: return fold_rows<ReadBf16>(task);
    case DType::e4m3: return fold_rows<ReadE4m3>(task);
    default: return fold_rows<ReadF32>(task);
  }
}

void FD_BLEND_PAYLOADS(const Merged<NoStats, float>& merged, float* a, const float* b, std::int64_t count) {
  const Merged<NoStats, Floats> wide{
      {}, merged.weight_a, merged.weight_b, mask_of(merged.a_empty), mask_of(merged.b_empty)};
  for (std::int64_t c = 0; c < count; c += kLanes)
    hn::StoreU(wide.blend(hn::LoadU(kFloats, a + c), hn::LoadU(kFloats, b + c)).v, kFloats, a + c);
}

}  // namespace fdlab

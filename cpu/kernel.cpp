// One pass over K and V, all query rows of a KV head together, three blocks of keys at a time: while one is scored, the
// scores of the one before become weights, and the values of the one before that are gathered, four keys of each in
// every turn. The three may be of different streams. The memory always has K and V to fetch, and no row waits for the
// softmax.
#include "cpu/kernel.h"

#include <algorithm>

#include "core/math/online.h"
#include "cpu/stream_deal.h"
#include "cpu/turns.h"

namespace fdlab {
namespace {

FD_INLINE Floats at(const float* p) { return hn::LoadU(kFloats, p); }
FD_INLINE void put(Floats x, float* p) { hn::StoreU(x.v, kFloats, p); }

/// Every row is used once, and AMD's processors are a little faster when told so. Intel's fetch half as fast then: such lines
/// go past the second cache, and the first has few places for what is on its way (cpu/MEASURED.md).
bool keeps_lines() {
#if defined(__x86_64__)
  return !__builtin_cpu_is("amd");
#else
  return true;
#endif
}

class Pipeline {
 public:
  Pipeline(const DecodeProblem& problem, std::int64_t num_rows, StreamDeal& deal, int thread, float* scratch)
      : p_(problem), num_rows_(num_rows), deal_(deal), thread_(thread) {
    const auto take = [&scratch](std::int64_t floats) {
      scratch += floats;
      return scratch - floats;
    };
    for (Block* block : {&scored_, &weighed_, &gathered_}) {
      block->scores = take(num_rows * kBlockKeys);
      block->rescale = take(padded(num_rows));
    }
    block_o_ = take(num_rows * o_stride());
    l_lanes_ = take(num_rows * kRowPadding);
    block_max_ = take(padded(num_rows));
    std::fill_n(block_o_, num_rows * o_stride(), 0.0f);
    std::fill_n(block_max_, padded(num_rows), kMinusInfinity);
    choose_turns();
  }

  /// All streams of the thread. One stream's first blocks are scored while the last of the one before are gathered.
  bool fold() {
    next_stream();
    const bool has_any = stream_ != nullptr;
    next_block();
    while (scored_.size() > 0 || weighed_.size() > 0 || gathered_.size() > 0) {
      next_vector_ = 0;
      (this->*take_turns_)();
      hand_over();
    }
    return has_any;
  }

 private:
  struct Block {
    const StreamTask* stream;
    KeyRange keys;
    float* scores;   // (num_rows, kBlockKeys), then weights
    float* rescale;  // (num_rows), what l and O gathered before this block are multiplied by
    bool is_mixed;   // whether some row sees but a part of it
    std::int64_t size() const { return keys.size(); }
  };
  using TakeTurns = void (Pipeline::*)();
  using TakeTurn = void (Pipeline::*)(std::int64_t i);

  std::int64_t q_stride() const { return padded(p_.head_dim); }
  std::int64_t o_stride() const { return padded(p_.v_head_dim); }

  /// Opens the thread's next stream, empty so far.
  void next_stream() {
    stream_ = deal_.next(thread_);
    if (!stream_) return;
    std::fill_n(stream_->m, padded(num_rows_), kMinusInfinity);
    std::fill_n(stream_->l, num_rows_, 0.0f);
    std::fill_n(stream_->o, num_rows_ * o_stride(), 0.0f);
    walk_ = BlockWalk(*stream_->plan, stream_->stream, stream_->keys);
  }

  /// The next block to score, of this stream or a later one; an empty one of no stream at the end.
  void next_block() {
    scored_.keys = {};
    for (; stream_; next_stream())
      if (scored_.keys = walk_.next(); scored_.size() > 0) break;
    scored_.stream = stream_;
    scored_.is_mixed = scored_.size() > 0 && is_mixed(scored_);
  }

  /// Every block takes its next step.
  void hand_over() {
    if (gathered_.size() > 0) close_block();
    const StreamTask* const before = weighed_.stream;
    const Block free = gathered_;
    gathered_ = weighed_;
    weighed_ = scored_;
    scored_ = free;
    next_block();
    if (weighed_.stream != before) {
      if (before) store_sums(*before);
      std::fill_n(l_lanes_, num_rows_ * kRowPadding, 0.0f);
    }
    if (weighed_.size() > 0) open_block();
  }

  void choose_turns() {
    if (num_rows_ == 1) choose_for_rows<1>();
    else if (num_rows_ == 2) choose_for_rows<2>();
    else choose_for_rows<4>();
  }
  template <int kRows>
  void choose_for_rows() {
    for_type(p_.k.type, [this]<class Read>(Read) {
      score_rows_ = &Pipeline::score_rows<Read, kRows>;
      take_turns_ = &Pipeline::same_type_turns<Read, kRows>;
    });
    for_type(p_.v.type, [this]<class Read>(Read) { gather_rows_ = &Pipeline::gather_rows<Read, kRows>; });
    if (p_.k.type != p_.v.type) take_turns_ = &Pipeline::two_type_turns;
  }
  static void for_type(DType type, const auto& choose) {
    switch (type) {
      case DType::f16: return choose(ReadF16());
      case DType::bf16: return choose(ReadBf16());
      case DType::e4m3: return choose(ReadE4m3());
      default: return choose(ReadF32());
    }
  }

  /// Four keys to score, four to gather, and between the turns weights.
  FD_INLINE void over_turns(const auto& score, const auto& gather) {
    for (std::int64_t i = 0; i < scored_.size() || i < gathered_.size(); i += kKeys) {
      if (i < scored_.size()) score(i);
      if (i < gathered_.size()) gather(i);
      weigh_beside(i + kKeys);
    }
    weigh_rest();
  }
  template <class Read, int kRows>
  void same_type_turns() {
    if constexpr (kRows == 1) {
      if (p_.head_dim == p_.v_head_dim && p_.head_dim == 4 * kLanes) return one_row_turns<Read, 4>();
      if (p_.head_dim == p_.v_head_dim && p_.head_dim == 8 * kLanes) return one_row_turns<Read, 8>();
    }
    over_turns([&](std::int64_t i) FD_INLINED { score_rows<Read, kRows>(i); },
               [&](std::int64_t i) FD_INLINED { gather_rows<Read, kRows>(i); });
  }
  /// A call for each four keys costs a few hundredths, and saves the code for every pair of types.
  void two_type_turns() {
    over_turns([&](std::int64_t i) { (this->*score_rows_)(i); },
               [&](std::int64_t i) { (this->*gather_rows_)(i); });
  }

  template <class Read, int kRows>
  FD_INLINE void score_rows(std::int64_t i) {
    const auto k = rows_of<Read>(scored_.stream->k, scored_.keys, i, p_.head_dim, p_.k.stride[2]);
    const float* const q = scored_.stream->q;
    float* const scores = scored_.scores + i;
    score_turn<Read, kRows>(k, q, scores, k);
    for (std::int64_t r = kRows; r < num_rows_; r += kRows)
      score_turn<Read, kRows>(k, q + r * q_stride(), scores + r * kBlockKeys);
  }
  template <class Read, int kRows>
  FD_INLINE void gather_rows(std::int64_t i) {
    if (gathered_.is_mixed) return gather_each<Read>(i);
    const auto v = rows_of<Read>(gathered_.stream->v, gathered_.keys, i, p_.v_head_dim, p_.v.stride[2]);
    const float* const weights = gathered_.scores + i;
    value_turn<Read, kRows>(v, weights, block_o_, v);
    for (std::int64_t r = kRows; r < num_rows_; r += kRows)
      value_turn<Read, kRows>(v, weights + r * kBlockKeys, block_o_ + r * o_stride());
  }

  /// Where some query row does not see what another does, each gathers only what it sees: 0 times a NaN would be one.
  template <class Read>
  __attribute__((noinline)) void gather_each(std::int64_t i) {
    for (std::int64_t r = 0; r < num_rows_; ++r) {
      const KeyRange seen = seen_of(r, gathered_),
                     turn{gathered_.keys.begin + i, gathered_.keys.begin + i + kKeys};
      if (std::max(seen.begin, turn.begin) >= std::min(seen.end, turn.end)) continue;
      const auto v =
          rows_of<Read>(gathered_.stream->v, seen, turn.begin - seen.begin, p_.v_head_dim, p_.v.stride[2]);
      value_turn<Read, 1>(v, gathered_.scores + r * kBlockKeys + i, block_o_ + r * o_stride());
    }
  }
  /// Those keys of a block that a row sees.
  static KeyRange seen_of(std::int64_t r, const Block& block) {
    const KeyRange visible = block.stream->rows[r].visible;
    return {std::max(visible.begin, block.keys.begin), std::min(visible.end, block.keys.end)};
  }
  bool is_mixed(const Block& block) const {
    for (std::int64_t r = 0; r < num_rows_; ++r)
      if (seen_of(r, block).size() < block.size()) return true;
    return false;
  }

  template <class Read, int kVectors>
  void one_row_turns() {
    constexpr std::bool_constant<true> kYes;
    constexpr std::bool_constant<false> kNo;
    OneRow<Read, kVectors> row(scored_.size() > 0 ? scored_.stream->q : nullptr);
    FourRows<Read> k{}, v{};
    for (std::int64_t i = 0; i < scored_.size() || i < gathered_.size(); i += kKeys) {
      const bool scores = i < scored_.size(), values = i < gathered_.size();
      if (scores) k = rows_of<Read>(scored_.stream->k, scored_.keys, i, p_.head_dim, p_.k.stride[2]);
      if (values) v = rows_of<Read>(gathered_.stream->v, gathered_.keys, i, p_.v_head_dim, p_.v.stride[2]);
      const auto turn = [&](auto has_scores, auto has_values) FD_INLINED {
        row.template turn<has_scores, has_values>(k, v, scored_.scores + i, gathered_.scores + i);
      };
      if (scores && values) turn(kYes, kYes);
      else if (scores) turn(kYes, kNo);
      else turn(kNo, kYes);
      weigh_beside(i + kKeys);
    }
    row.store_o(block_o_);
    weigh_rest();
  }

  /// Rows of keys i … i+3 of a block. Outside of it its first or last row stands in: its score is masked, its weight 0.
  template <class Read>
  FD_INLINE FourRows<Read> rows_of(const void* base, KeyRange block, std::int64_t i, std::int64_t dim,
                                   std::int64_t stride) const {
    FourRows<Read> rows{{}, dim, stride, keeps_};
    for (int j = 0; j < kKeys; ++j)
      rows.row[j] = static_cast<const typename Read::Element*>(base) +
                    std::clamp(block.begin + i + j, block.begin, block.end - 1) * stride;
    return rows;
  }

  /// As large a share of the block's weights as `keys` are of its keys, some vectors at a time: the constants of exp are
  /// loaded for every call.
  FD_INLINE void weigh_beside(std::int64_t keys) {
    const std::int64_t end = num_rows_ * keys / kLanes, fewest = std::min<std::int64_t>(num_rows_, 4);
    if (end >= next_vector_ + fewest) weigh_up_to(end);
  }
  void weigh_rest() { weigh_up_to(num_rows_ * kVectorsPerRow); }

  /// Vectors of scores → weights; l gathers them lane by lane.
  __attribute__((flatten)) void weigh_up_to(std::int64_t end) {
    if (weighed_.size() == 0) return;
    for (; next_vector_ < end; ++next_vector_) {
      const std::int64_t r = next_vector_ / kVectorsPerRow;
      float* const scores = weighed_.scores + next_vector_ * kLanes;
      const Floats m = weighed_.stream->m[r];
      const Floats weight = OnlineBlock<Floats, VectorBaseE>{m, weighed_.rescale[r]}.weight(at(scores));
      put(weight, scores);
      put(at(l_lanes_ + r * kRowPadding) + weight, l_lanes_ + r * kRowPadding);
    }
  }

  /// The running maximum moves on, and l with it (core/math/online.h).
  __attribute__((flatten)) void open_block() {
    for (std::int64_t r = 0; r < num_rows_; ++r)
      block_max_[r] = finish_scores(r, weighed_.scores + r * kBlockKeys);
    for (std::int64_t r = 0; r < num_rows_; r += kLanes) {
      float* const m = weighed_.stream->m + r;
      const auto step = OnlineBlock<Floats, VectorBaseE>::begin(at(m), at(block_max_ + r));
      put(step.m, m);
      put(step.rescale, weighed_.rescale + r);
    }
    for (std::int64_t r = 0; r < num_rows_; ++r) {
      float* const l = l_lanes_ + r * kRowPadding;
      put(at(l) * Floats(weighed_.rescale[r]), l);
    }
  }

  /// q·k → scores, −∞ for keys that the row does not see and for the slots past the block's end; the largest of them.
  float finish_scores(std::int64_t r, float* scores) const {
    const RowView& row = weighed_.stream->rows[r];
    const KeyRange block = weighed_.keys;
    const Floats scale = static_cast<float>(p_.scale * p_.k_scale);
    for (std::int64_t i = 0; i < block.size(); i += kLanes) put(at(scores + i) * scale, scores + i);
    if (p_.rules.changes_scores()) apply_rules(row, scores);
    const auto place = [&](std::int64_t key) {
      return scores + std::clamp<std::int64_t>(key - block.begin, 0, block.size());
    };
    std::fill(scores, place(row.visible.begin), kMinusInfinity);
    std::fill(place(row.visible.end), scores + kBlockKeys, kMinusInfinity);
    Floats block_max = kMinusInfinity;
    for (std::int64_t i = 0; i < kBlockKeys; i += kLanes) block_max = larger(block_max, at(scores + i));
    return largest_lane(block_max);
  }

  double slope_of(std::int64_t q_head) const {
    const std::vector<double>& slopes = p_.rules.alibi_slopes;
    return slopes.empty() ? 0 : slopes[static_cast<std::size_t>(q_head)];
  }

  /// Softcap, then ALiBi (core/problem/score_rules.h).
  void apply_rules(const RowView& row, float* scores) const {
    const auto cap = static_cast<float>(p_.rules.softcap);
    const Floats slope = static_cast<float>(slope_of(row.q_head));
    for (std::int64_t i = 0; i < weighed_.size(); i += kLanes) {
      Floats score = at(scores + i);
      if (cap > 0) score = soft_capped(score, cap);
      const Floats distance = counted_from(static_cast<float>(weighed_.keys.begin + i - row.position));
      put(fused_multiply_add(slope, distance, score), scores + i);
    }
  }

  /// O' = r·O + Σ p V. A block's sum is rounded on its own, so O is rounded once a block.
  void close_block() {
    for (std::int64_t r = 0; r < num_rows_; ++r) {
      const Floats rescale = gathered_.rescale[r];
      float *const o = gathered_.stream->o + r * o_stride(), *const block_o = block_o_ + r * o_stride();
      for (std::int64_t c = 0; c < o_stride(); c += kLanes) {
        put(fused_multiply_add(rescale, at(o + c), at(block_o + c)), o + c);
        put(0.0f, block_o + c);
      }
    }
  }

  void store_sums(const StreamTask& stream) const {
    for (std::int64_t r = 0; r < num_rows_; ++r)
      stream.l[r] = first_lane(Floats(hn::SumOfLanes(kFloats, at(l_lanes_ + r * kRowPadding).v)));
  }

  static constexpr std::int64_t kVectorsPerRow = kBlockKeys / kLanes;

  const DecodeProblem& p_;
  std::int64_t num_rows_;
  StreamDeal& deal_;
  int thread_;
  TakeTurns take_turns_;
  TakeTurn score_rows_, gather_rows_;
  bool keeps_ = keeps_lines();
  const StreamTask* stream_ = nullptr;  // whose blocks are scored next
  BlockWalk walk_;
  Block scored_{}, weighed_{}, gathered_{};
  float* block_o_;    // (num_rows, padded(v_head_dim)): p V of the gathered block
  float* l_lanes_;    // (num_rows, kRowPadding): what l of the weighed stream gathered, in kLanes parts
  float* block_max_;  // (num_rows)
  std::int64_t next_vector_ = 0;  // of the weighed block
};

}  // namespace

bool FD_FOLD_STREAMS(const DecodeProblem& problem, std::int64_t num_rows, StreamDeal& deal, int thread,
                     float* scratch) {
  return Pipeline(problem, num_rows, deal, thread, scratch).fold();
}

void FD_BLEND_PAYLOADS(const Merged<NoStats, float>& merged, float* a, const float* b, std::int64_t count) {
  const Merged<NoStats, Floats> wide{
      {}, merged.weight_a, merged.weight_b, mask_of(merged.a_empty), mask_of(merged.b_empty)};
  for (std::int64_t c = 0; c < count; c += kLanes)
    hn::StoreU(wide.blend(hn::LoadU(kFloats, a + c), hn::LoadU(kFloats, b + c)).v, kFloats, a + c);
}

}  // namespace fdlab

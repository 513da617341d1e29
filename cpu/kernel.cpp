// One pass over K and V, all query rows of a KV head together. The scores of block b+1 are computed in the same turns,
// a vector of K and a vector of V at a time, in which the values of block b are weighed: the memory always has both
// streams to fetch, and no row waits for the softmax.
#include "cpu/kernel.h"

#include "core/math/online.h"
#include "cpu/simd.h"

namespace fdlab {
namespace {

constexpr int kKeys = 4;                    // rows of K and of V in one turn
constexpr std::int64_t kFetchBytes = 5120;  // each of the two streams asks for its rows this far ahead

#define FD_INLINE inline __attribute__((always_inline))

/// Adds the blocks of four lanes together and stores the four sums.
template <class Tag>
FD_INLINE void store_added_blocks(Tag tag, hn::Vec<Tag> x, float* out) {
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    hn::StoreU(x, tag, out);
  } else {
    const hn::Half<Tag> half;
    store_added_blocks(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)), out);
  }
}

/// The four vectors' lane sums, as four neighbouring floats.
FD_INLINE void store_sums(const FloatVec (&a)[kKeys], float* out) {
  const hn::Repartition<double, FloatTag> pairs;
  const auto add_halves = [&](FloatVec x, FloatVec y) {
    return hn::BitCast(pairs,
                       hn::Add(hn::InterleaveLower(kFloats, x, y), hn::InterleaveUpper(kFloats, x, y)));
  };
  const auto ab = add_halves(a[0], a[1]), cd = add_halves(a[2], a[3]);
  const FloatVec sums = hn::Add(hn::BitCast(kFloats, hn::InterleaveLower(pairs, ab, cd)),
                                hn::BitCast(kFloats, hn::InterleaveUpper(pairs, ab, cd)));
  store_added_blocks(kFloats, sums, out);
}

/// Four keys' rows, and where the dimensions end.
template <class Read>
struct Turn {
  const typename Read::Element* k[kKeys];
  const typename Read::Element* v[kKeys];
  std::int64_t head_dim, v_head_dim;
  std::int64_t k_ahead, v_ahead;  ///< bytes from these rows to the ones that are fetched meanwhile
};

/// Asks for the cache line of component c of a row further on, if c is its first vector. The row may lie past the end:
/// its address is only looked at by the cache.
template <class Element>
FD_INLINE void fetch(const Element* row, std::int64_t bytes_ahead, std::int64_t c) {
  constexpr std::int64_t kLine = 64 / sizeof(Element);
  if (kLanes < kLine && c % kLine != 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(row + c) + static_cast<std::uintptr_t>(bytes_ahead);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
}

/// q·k of four keys for kRows query rows, added up in `sums`, from component c on.
template <class Read, int kRows, class... Count>
FD_INLINE void add_products(const Turn<Read>& t, std::int64_t c, const float* q,
                            FloatVec (&sums)[kRows][kKeys], Count... count) {
  FloatVec k[kKeys];
  for (int j = 0; j < kKeys; ++j) k[j] = Read::load(t.k[j] + c, count...);
  for (int j = 0; j < kKeys; ++j) fetch(t.k[j], t.k_ahead, c);
  for (int r = 0; r < kRows; ++r) {
    const FloatVec q_part = hn::LoadU(kFloats, q + r * padded(t.head_dim) + c);
    for (int j = 0; j < kKeys; ++j) sums[r][j] = hn::MulAdd(k[j], q_part, sums[r][j]);
  }
}

/// O += p V of four keys for kRows query rows, from component c on. The four products are added up before they join the
/// running sum, which is then rounded a quarter as often.
template <class Read, int kRows, class... Count>
FD_INLINE void add_values(const Turn<Read>& t, std::int64_t c, const float* p, float* o, Count... count) {
  FloatVec v[kKeys];
  for (int j = 0; j < kKeys; ++j) v[j] = Read::load(t.v[j] + c, count...);
  for (int j = 0; j < kKeys; ++j) fetch(t.v[j], t.v_ahead, c);
  for (int r = 0; r < kRows; ++r) {
    float* const out = o + r * padded(t.v_head_dim) + c;
    const float* const weight = p + r * kBlockKeys;
    FloatVec sum = hn::Mul(v[0], hn::Set(kFloats, weight[0]));
    for (int j = 1; j < kKeys; ++j) sum = hn::MulAdd(v[j], hn::Set(kFloats, weight[j]), sum);
    hn::StoreU(hn::Add(hn::LoadU(kFloats, out), sum), kFloats, out);
  }
}

/// One turn: scores of four keys of the next block (kScores), values of four keys of this one (kValues), a vector of
/// each at a time.
template <class Read, int kRows, bool kScores, bool kValues>
FD_INLINE void take_turn(const Turn<Read>& t, const float* q, float* scores, const float* p, float* o) {
  FloatVec sums[kRows][kKeys];
  for (auto& row : sums)
    for (FloatVec& sum : row) sum = hn::Zero(kFloats);

  const std::int64_t k_end = kScores ? t.head_dim / kLanes * kLanes : 0;
  const std::int64_t v_end = kValues ? t.v_head_dim / kLanes * kLanes : 0;
  std::int64_t c = 0;
  if constexpr (kScores && kValues)
    for (; c < k_end && c < v_end; c += kLanes) {
      add_products<Read, kRows>(t, c, q, sums);
      add_values<Read, kRows>(t, c, p, o);
    }
  if constexpr (kScores) {
    for (std::int64_t i = c; i < k_end; i += kLanes) add_products<Read, kRows>(t, i, q, sums);
    if (k_end < t.head_dim) add_products<Read, kRows>(t, k_end, q, sums, t.head_dim - k_end);
    for (int r = 0; r < kRows; ++r) store_sums(sums[r], scores + r * kBlockKeys);
  }
  if constexpr (kValues) {
    for (std::int64_t i = c; i < v_end; i += kLanes) add_values<Read, kRows>(t, i, p, o);
    if (v_end < t.v_head_dim) add_values<Read, kRows>(t, v_end, p, o, t.v_head_dim - v_end);
  }
}

template <class Read, int kRows>
class Stream {
 public:
  explicit Stream(const StreamTask& task) : t_(task), walk_(*task.plan, task.stream, task.keys) {}

  void fold() {
    clear();
    KeyRange block = walk_.next();
    float *weights = t_.scores, *scores = t_.scores + t_.num_rows * kBlockKeys;
    turns(block, {}, scores, weights);
    while (block.size() > 0) {
      float* const filled = scores;
      scores = weights;
      weights = filled;
      open_block(block, weights);
      const KeyRange next = walk_.next();
      turns(next, block, scores, weights);
      block = next;
    }
  }

 private:
  using Element = typename Read::Element;

  void clear() {
    for (std::int64_t r = 0; r < t_.num_rows; ++r) {
      t_.m[r] = kMinusInfinity;
      t_.l[r] = 0;
    }
    std::memset(t_.o, 0, static_cast<std::size_t>(t_.num_rows * o_stride()) * sizeof(float));
  }

  std::int64_t q_stride() const { return padded(t_.problem->head_dim); }
  std::int64_t o_stride() const { return padded(t_.problem->v_head_dim); }

  /// Rows of keys i … i+3 of a block. Past its end the last row stands in: its score is masked.
  void point(const void* base, std::int64_t stride, KeyRange block, std::int64_t i,
             const Element* (&rows)[kKeys]) const {
    for (int j = 0; j < kKeys; ++j) {
      const std::int64_t key = block.begin + i + j < block.end ? block.begin + i + j : block.end - 1;
      rows[j] = static_cast<const Element*>(base) + key * stride;
    }
  }

  /// Bytes to the row that lies kFetchBytes of components ahead.
  static std::int64_t ahead(std::int64_t dim, std::int64_t stride) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(Element));
    return (kFetchBytes + dim * kSize - 1) / (dim * kSize) * stride * kSize;
  }

  /// q·k of `next` into `scores`, p·V of `block` into o, in turns of four keys.
  void turns(KeyRange next, KeyRange block, float* scores, const float* weights) const {
    const DecodeProblem& p = *t_.problem;
    Turn<Read> turn{};
    turn.head_dim = p.head_dim;
    turn.v_head_dim = p.v_head_dim;
    turn.k_ahead = ahead(p.head_dim, p.k.stride[2]);
    turn.v_ahead = ahead(p.v_head_dim, p.v.stride[2]);
    for (std::int64_t i = 0; i < next.size() || i < block.size(); i += kKeys) {
      const bool has_scores = i < next.size(), has_values = i < block.size();
      if (has_scores) point(t_.k, t_.problem->k.stride[2], next, i, turn.k);
      if (has_values) point(t_.v, t_.problem->v.stride[2], block, i, turn.v);
      for (std::int64_t r = 0; r < t_.num_rows; r += kRows) {
        const float *q = t_.q + r * q_stride(), *p = weights + r * kBlockKeys + i;
        float *s = scores + r * kBlockKeys + i, *o = t_.o + r * o_stride();
        if (has_scores && has_values) take_turn<Read, kRows, true, true>(turn, q, s, p, o);
        else if (has_scores) take_turn<Read, kRows, true, false>(turn, q, s, p, o);
        else take_turn<Read, kRows, false, true>(turn, q, s, p, o);
      }
    }
  }

  /// Scores → weights, and the running (m, l, O) moves to the new maximum (core/math/online.h).
  void open_block(KeyRange block, float* scores) const {
    for (std::int64_t r = 0; r < t_.num_rows; ++r) open_row(r, block, scores + r * kBlockKeys);
  }

  void open_row(std::int64_t r, KeyRange block, float* scores) const {
    finish_scores(r, block, scores);
    Floats block_max = kMinusInfinity;
    for (std::int64_t i = 0; i < kBlockKeys; i += kLanes) block_max = larger(block_max, at(scores + i));
    const auto step = OnlineBlock<Floats, VectorBaseE>::begin(Floats(t_.m[r]), largest_lane(block_max));

    Floats sum = 0.0f;
    for (std::int64_t i = 0; i < kBlockKeys; i += kLanes) {
      const Floats weight = step.weight(at(scores + i));
      hn::StoreU(weight.v, kFloats, scores + i);
      sum = sum + weight;
    }
    const float rescale = first_lane(step.rescale);
    t_.m[r] = first_lane(step.m);
    t_.l[r] = rescale * t_.l[r] + first_lane(Floats(hn::SumOfLanes(kFloats, sum.v)));
    if (rescale != 1) scale_output(t_.o + r * o_stride(), step.rescale);
  }

  /// q·k → scores; −∞ for keys that the row does not see and for the slots past the block's end.
  void finish_scores(std::int64_t r, KeyRange block, float* scores) const {
    const KeyRange visible = t_.rows[r].visible;
    if (t_.problem->rules.changes_scores() || visible.begin > block.begin || visible.end < block.end) {
      apply_rules(t_, r, block, scores);
    } else {
      const Floats scale = static_cast<float>(t_.problem->scale * t_.problem->k_scale);
      for (std::int64_t i = 0; i < block.size(); i += kLanes)
        hn::StoreU((at(scores + i) * scale).v, kFloats, scores + i);
    }
    for (std::int64_t i = block.size(); i < kBlockKeys; ++i) scores[i] = kMinusInfinity;
  }

  void scale_output(float* o, Floats factor) const {
    for (std::int64_t c = 0; c < o_stride(); c += kLanes) hn::StoreU((at(o + c) * factor).v, kFloats, o + c);
  }

  static Floats at(const float* p) { return hn::LoadU(kFloats, p); }

  const StreamTask& t_;
  BlockWalk walk_;
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

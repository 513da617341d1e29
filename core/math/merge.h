// FlashDecoding on one page: the merge operator ⊕ in its three forms.
//
// A partial is what is kept of a set of keys: a few statistics and one payload vector. Partials of disjoint sets merge
// into the partial of their union, in any order and any grouping, so attention over a long KV cache may be cut
// anywhere: between keys, tiles, streams, thread blocks, GPUs, nodes.
//
//   form             statistics                         payload          derivation
//   MlNormalised     m = max s,  l = Σ exp(s − m)       o = Σ p V / l    2.2.1, 2.2.2, 3.1.1
//   MlUnnormalised   m, l                               O = l·o          3.1.3
//   Lse              S = log Σ exp(s) = m + log l       o                2.3.2 to 2.3.5
//
// Every form gives empty(), of(score) and merge(a, b) → statistics and two weights, and always
//     payload(a ∪ b) = weight_a · payload(a) + weight_b · payload(b).
// A single key of score s has the payload V in all three forms, so folding one key in (online softmax) is the same ⊕.
#pragma once

#include "core/math/exp_base.h"

namespace fdlab {

template <class T>
struct MaxSum {
  T m;  ///< largest score; −∞ when empty
  T l;  ///< Σ exp(score − m); 0 when empty, else ≥ 1
};

template <class T>
struct LogSum {
  T S;  ///< log Σ exp(score); −∞ when empty
};

/// exp(x − reference) for x ≤ reference, and 0 for x = −∞ whatever the reference: −∞ − (−∞) never becomes NaN.
template <class Exp, class T>
FD_HD T exp_below(T x, T reference) {
  return select(is_minus_infinity(x), T(0), Exp::exp(x - reference));
}

/// What ⊕ yields: the union's statistics and how much of each payload goes into the union's payload.
template <class Stats, class T>
struct Merged {
  using Mask = decltype(is_minus_infinity(T(0)));
  Stats stats;
  T weight_a, weight_b;
  Mask a_empty, b_empty;

  /// One component of the union's payload. The payload of an empty side is never read: it may hold NaN, and 0·NaN is
  /// NaN. Beside an empty side the other passes through bit by bit.
  FD_HD T blend(T a, T b) const {
    const T only_a = weight_a * a, only_b = weight_b * b;
    const T both = fused_multiply_add(weight_b, b, only_a);
    return select(a_empty, select(b_empty, T(0), only_b), select(b_empty, only_a, both));
  }
};

template <class T, class Exp = BaseE>
struct MlNormalised {
  using Stats = MaxSum<T>;
  static constexpr const char* kName = "m/l/o";

  FD_HD static Stats empty() { return {T(kMinusInfinity), T(0)}; }
  FD_HD static auto is_empty(Stats a) { return is_minus_infinity(a.m); }
  /// One key. A masked key (score −∞) is empty.
  FD_HD static Stats of(T score) { return {score, select(is_minus_infinity(score), T(0), T(1))}; }
  FD_HD static Merged<Stats, T> merge(Stats a, Stats b) {
    const T m = larger(a.m, b.m);
    const T l_a = exp_below<Exp>(a.m, m) * a.l;  // both sums move to the common maximum before they are added
    const T l_b = exp_below<Exp>(b.m, m) * b.l;
    const T l = l_a + l_b;
    const auto none = is_minus_infinity(m);
    return {{m, l}, select(none, T(0), l_a / l), select(none, T(0), l_b / l), is_empty(a), is_empty(b)};
  }
  /// o from the payload.
  FD_HD static T output(Stats, T payload) { return payload; }
};

template <class T, class Exp = BaseE>
struct MlUnnormalised {
  using Stats = MaxSum<T>;
  static constexpr const char* kName = "m/l/O";

  FD_HD static Stats empty() { return MlNormalised<T, Exp>::empty(); }
  FD_HD static auto is_empty(Stats a) { return is_minus_infinity(a.m); }
  FD_HD static Stats of(T score) { return MlNormalised<T, Exp>::of(score); }
  FD_HD static Merged<Stats, T> merge(Stats a, Stats b) {
    const T m = larger(a.m, b.m);
    const T scale_a = exp_below<Exp>(a.m, m);
    const T scale_b = exp_below<Exp>(b.m, m);
    return {{m, scale_a * a.l + scale_b * b.l}, scale_a, scale_b, is_empty(a), is_empty(b)};
  }
  /// o from the payload: the one division, left to the end. The empty set's output is 0.
  FD_HD static T output(Stats a, T payload) { return select(is_empty(a), T(0), payload / a.l); }
};

template <class T, class Exp = BaseE>
struct Lse {
  using Stats = LogSum<T>;
  static constexpr const char* kName = "LSE";

  FD_HD static Stats empty() { return {T(kMinusInfinity)}; }
  FD_HD static auto is_empty(Stats a) { return is_minus_infinity(a.S); }
  FD_HD static Stats of(T score) { return {score}; }
  /// The weights come from the difference S_a − S_b alone and so sum to 1 however large |S| is; exp(S_a − S_merged)
  /// would lose digits with every power of two in |S|.
  FD_HD static Merged<Stats, T> merge(Stats a, Stats b) {
    const T high = larger(a.S, b.S);
    const auto a_is_high = a.S == high;
    const T low = select(a_is_high, b.S, a.S);
    const T e = exp_below<Exp>(low, high);
    const auto none = is_minus_infinity(high);
    const T weight_high = select(none, T(0), T(1) / (T(1) + e));
    const T weight_low = e * weight_high;
    return {{high + Exp::log1p(e)},
            select(a_is_high, weight_high, weight_low),
            select(a_is_high, weight_low, weight_high),
            is_empty(a),
            is_empty(b)};
  }
  FD_HD static T output(Stats, T payload) { return payload; }
};

/// S = m + log l (2.3.2). Empty stays empty.
template <class Exp = BaseE, class T>
FD_HD LogSum<T> to_log_sum(MaxSum<T> a) {
  return {select(is_minus_infinity(a.m), T(kMinusInfinity), a.m + Exp::log(a.l))};
}
template <class Exp = BaseE, class T>
FD_HD LogSum<T> to_log_sum(LogSum<T> a) {
  return a;
}

/// (m, l) with the same S: m = S, l = 1. The original m and l are not recoverable, and are not needed.
template <class T>
FD_HD MaxSum<T> to_max_sum(LogSum<T> a) {
  return {a.S, select(is_minus_infinity(a.S), T(0), T(1))};
}

}  // namespace fdlab

// Many partials at once: one maximum, one sum, one weighted sum (derivation 2.2.2 and 2.3.4). Used where all partials
// are at hand together, as in a combine kernel; equal to any tree of ⊕.
//
//   S_max = max S_i      Z = Σ exp(S_i − S_max)      S = S_max + log Z      o = Σ (exp(S_i − S_max) / Z) o_i
//
// The weights divide by Z; exp(S_i − S) would lose digits when |S| is large.
#pragma once

#include <cstdint>

#include "core/math/merge.h"

namespace fdlab {

template <class T, class Exp = BaseE>
struct FlatMerge {
  T S_max;  ///< −∞ when every partial is empty
  T Z;      ///< Σ exp(S_i − S_max); 0 when every partial is empty

  /// S: log-sums of the partials, one every `stride` elements.
  FD_HD static FlatMerge over(const T* S, std::int64_t count, std::int64_t stride = 1) {
    T S_max = T(kMinusInfinity);
    for (std::int64_t i = 0; i < count; ++i) S_max = larger(S_max, S[i * stride]);
    T Z = T(0);
    for (std::int64_t i = 0; i < count; ++i) Z = Z + exp_below<Exp>(S[i * stride], S_max);
    return {S_max, Z};
  }
  /// Weight of a partial of log-sum S; 0 for an empty one, whose payload must not be read.
  FD_HD T weight(T S) const { return select(is_minus_infinity(S), T(0), exp_below<Exp>(S, S_max) / Z); }
  FD_HD LogSum<T> stats() const {
    return {select(is_minus_infinity(S_max), T(kMinusInfinity), S_max + Exp::log(Z))};
  }
};

/// The same from (m, l): one maximum, then every l moves to it (derivation 2.2.2). Loses no digits where |S| is large,
/// since m is kept apart from l.
///
///   m = max m_i      l = Σ exp(m_i − m) l_i      O = Σ exp(m_i − m) O_i      o = Σ (exp(m_i − m) l_i / l) o_i
template <class T, class Exp = BaseE>
struct FlatMaxSum {
  T m;  ///< −∞ when every partial is empty
  T l;  ///< 0 when every partial is empty

  /// stats: of the partials, one every `stride` elements.
  FD_HD static FlatMaxSum over(const MaxSum<T>* stats, std::int64_t count, std::int64_t stride = 1) {
    T m = T(kMinusInfinity);
    for (std::int64_t i = 0; i < count; ++i) m = larger(m, stats[i * stride].m);
    T l = T(0);
    for (std::int64_t i = 0; i < count; ++i)
      l = l + exp_below<Exp>(stats[i * stride].m, m) * stats[i * stride].l;
    return {m, l};
  }
  /// Weight of a partial's unnormalised O; 0 for an empty one, whose payload must not be read.
  FD_HD T weight(T partial_m) const { return exp_below<Exp>(partial_m, m); }
  /// Share of a partial's normalised o; 0 for an empty one.
  FD_HD T share(MaxSum<T> a) const {
    return select(is_minus_infinity(a.m), T(0), exp_below<Exp>(a.m, m) * a.l / l);
  }
  FD_HD MaxSum<T> stats() const { return {m, l}; }
};

}  // namespace fdlab

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
  /// The same from (m, l) pairs: S_max is then the largest m, and Z = Σ exp(m_i − m) l_i is the merged l.
  FD_HD static FlatMerge over(const MaxSum<T>* partials, std::int64_t count) {
    T m = T(kMinusInfinity);
    for (std::int64_t i = 0; i < count; ++i) m = larger(m, partials[i].m);
    T l = T(0);
    for (std::int64_t i = 0; i < count; ++i) l = l + exp_below<Exp>(partials[i].m, m) * partials[i].l;
    return {m, l};
  }
  /// Weight of a partial of log-sum S; 0 for an empty one, whose payload must not be read.
  FD_HD T weight(T S) const { return select(is_minus_infinity(S), T(0), exp_below<Exp>(S, S_max) / Z); }
  FD_HD T weight(MaxSum<T> a) const {
    return select(is_minus_infinity(a.m), T(0), exp_below<Exp>(a.m, S_max) * a.l / Z);
  }
  FD_HD LogSum<T> stats() const {
    return {select(is_minus_infinity(S_max), T(kMinusInfinity), S_max + Exp::log(Z))};
  }
};

}  // namespace fdlab

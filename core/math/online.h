// Online softmax taken a block of scores at a time: the same ⊕ with the unnormalised payload, written so that a
// running (m, l, O) is rescaled once per block instead of once per key (derivation 3.1.3, stage 1).
//
//   m' = max(m, block maximum)     r = exp(m − m')     p_j = exp(s_j − m')
//   l' = r·l + Σ p_j               O' = r·O + Σ p_j V_j
#pragma once

#include "core/math/merge.h"

namespace fdlab {

template <class T, class Exp = BaseE>
struct OnlineBlock {
  T m;        ///< maximum after the block; −∞ while no key was visible
  T rescale;  ///< factor for l and O gathered before: 1 if the maximum stood, 0 if nothing was gathered

  /// Opens a block. block_max: the largest score of the block, −∞ if every key of it is masked.
  FD_HD static OnlineBlock begin(T m_before, T block_max) {
    const T m = larger(m_before, block_max);
    return {m, exp_below<Exp>(m_before, m)};
  }
  /// A key's share of the running sum, relative to m; 0 for a masked key.
  FD_HD T weight(T score) const { return exp_below<Exp>(score, m); }
};

}  // namespace fdlab

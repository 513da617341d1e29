// How far plain attention's roundings may well move an output, computed from what is rounded. The error that it happens to
// make says as much on a large tensor only: on a few numbers that may be next to nothing, by luck.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/problem/dtype.h"

namespace fdlab {

/// One row, told key by key what is rounded and by how much at most; u is a float's roundoff, S_k a sum of the first k keys:
///   p_i rounded to its type   h_i |V_i|, h_i = min(ulp(p_i) / 2, 1 − p_i)   1 is a number of every type
///   a float score             u e_i p_i |V_i − o|                           e_i: what it is off by, in u
///   a running sum             u |S_k(p V)| and u |o| S_k(p)                 the first addition, to 0, is exact
/// An error anywhere within ± its most has a variance of most² / 3. Of u · number, which is once to twice the half ulp, half
/// the square is taken, the mean.
class RoundingReach {
 public:
  RoundingReach(std::size_t components, DType p_type) : p_type_(p_type), components_(components) {}

  /// A key with p > 0.
  void add(double p, double score_error, std::span<const double> v);

  /// Of each component: 3.5 standard deviations, which is the largest of some thousand errors, or all errors at their most
  /// together, if that is less.
  std::vector<double> of_components() const;

 private:
  struct Component {
    double o = 0;                            ///< Σ p V
    double p_squares = 0, p_most = 0;        ///< Σ h² V², Σ h |V|
    double v_squares = 0, vv_squares = 0;    ///< Σ (e p)² V, Σ (e p)² V²
    double v_most = 0;                       ///< Σ e p |V|
    double sums_squares = 0, sums_most = 0;  ///< Σ S_k(p V)², Σ |S_k(p V)|
  };

  double reach_of(const Component& c) const;

  DType p_type_;
  std::vector<Component> components_;
  double l_ = 0;                       ///< Σ p
  double l_squares_ = 0, l_most_ = 0;  ///< Σ S_k(p)², Σ S_k(p)
  double e_squares_ = 0, e_most_ = 0;  ///< Σ (e p)², Σ e p
};

}  // namespace fdlab

#include "cpu/rounding_reach.h"

#include <algorithm>
#include <cmath>

#include "core/compare/verdict.h"
#include "core/problem/encode.h"

namespace fdlab {

void RoundingReach::add(double p, double score_error, std::span<const double> v) {
  const double h = std::min(ulp_of(p_type_, p) / 2, 1 - p), e = score_error * p;
  const double later = l_ > 0 ? 1 : 0;
  l_ += p;
  l_squares_ += later * l_ * l_;
  l_most_ += later * l_;
  e_squares_ += e * e;
  e_most_ += e;
  for (std::size_t i = 0; i < v.size(); ++i) {
    Component& c = components_[i];
    c.o += p * v[i];
    c.p_squares += h * h * v[i] * v[i];
    c.p_most += h * std::abs(v[i]);
    c.v_squares += e * e * v[i];
    c.vv_squares += e * e * v[i] * v[i];
    c.v_most += e * std::abs(v[i]);
    c.sums_squares += later * c.o * c.o;
    c.sums_most += later * std::abs(c.o);
  }
}

double RoundingReach::reach_of(const Component& c) const {
  const double u = roundoff_of(DType::f32), o = std::abs(c.o);
  const double score_squares = std::max(0.0, c.vv_squares - 2 * c.o * c.v_squares + o * o * e_squares_);
  const double float_squares = score_squares + c.sums_squares + o * o * l_squares_;
  const double float_most = c.v_most + o * e_most_ + c.sums_most + o * l_most_;
  const double deviations = 2 * std::sqrt(c.p_squares + u * u / 2 * float_squares);  // 2 = 3.5 / √3
  return std::min(deviations, c.p_most + u * float_most);
}

std::vector<double> RoundingReach::of_components() const {
  std::vector<double> all;
  for (const Component& c : components_) all.push_back(reach_of(c));
  return all;
}

}  // namespace fdlab

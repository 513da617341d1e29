// Axes of plots: round ticks, linear or logarithmic, and where a value stands.
#pragma once

#include <vector>

namespace fdlab {

/// 1, 2 or 5 times a power of ten, so that at most `most` ticks above 0 reach `value`.
double round_tick(double value, int most);

/// From `low` at pixel p0 to `high` at p1; p1 may be the smaller one.
struct PlotAxis {
  double low = 0, high = 1;
  float p0 = 0, p1 = 1;
  bool is_log = false;

  float at(double value) const;
  double value_at(float p) const;
};

/// From 0 to the first round tick that is not below `most_value`.
PlotAxis axis_from_zero(double most_value, int most_ticks, float p0, float p1);
/// Round values from low ≥ 0 to high: multiples of the tick, or 1, 2, 5, 10 … on a logarithmic axis that is long enough.
std::vector<double> ticks_of(const PlotAxis& axis, int most);

}  // namespace fdlab

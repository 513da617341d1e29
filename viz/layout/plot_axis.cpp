#include "viz/layout/plot_axis.h"

#include <algorithm>
#include <cmath>

namespace fdlab {
namespace {

constexpr double kSlack = 1e-9;

double place(const PlotAxis& axis, double value) {
  if (!axis.is_log) return (value - axis.low) / (axis.high - axis.low);
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

}  // namespace

double round_tick(double value, int most) {
  const double least = std::max(value, 1e-12) / most;
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= least * (1 - kSlack)) return factor * decade;
  return 10 * decade;
}

float PlotAxis::at(double value) const {
  return p0 + (p1 - p0) * static_cast<float>(std::clamp(place(*this, value), 0.0, 1.0));
}

double PlotAxis::value_at(float p) const {
  const double share = std::clamp(static_cast<double>((p - p0) / (p1 - p0)), 0.0, 1.0);
  return is_log ? low * std::pow(high / low, share) : low + share * (high - low);
}

PlotAxis axis_from_zero(double most_value, int most_ticks, float p0, float p1) {
  const double tick = round_tick(most_value, most_ticks);
  return {0, tick * std::max(1.0, std::ceil(most_value / tick - kSlack)), p0, p1, false};
}

std::vector<double> ticks_of(const PlotAxis& axis, int most) {
  std::vector<double> ticks;
  if (!axis.is_log) {
    const double tick = round_tick(axis.high - axis.low, most);
    const double first = std::max(0.0, std::ceil(axis.low / tick - kSlack));  // no negative zero
    for (double i = first; i * tick <= axis.high * (1 + kSlack); ++i) ticks.push_back(i * tick);
    return ticks;
  }
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * decade >= axis.low * (1 - kSlack) && factor * decade <= axis.high * (1 + kSlack))
        ticks.push_back(factor * decade);
  if (ticks.size() > 1) return ticks;
  PlotAxis narrow = axis;  // too little of a decade: ticks as on a linear axis
  narrow.is_log = false;
  return ticks_of(narrow, most);
}

}  // namespace fdlab

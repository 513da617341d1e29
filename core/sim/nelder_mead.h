// Minimising a function of a few numbers without its derivatives (Nelder and Mead, 1965): a simplex of n + 1 points that
// walks, stretches and shrinks towards the least value. Deterministic.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace fdlab {

using Point = std::vector<double>;

/// The best point found. The simplex starts at `start` and, along each axis, at `start` + `step`.
template <class Function>
Point nelder_mead(const Function& f, const Point& start, const Point& step, int iterations) {
  using Vertex = std::pair<double, Point>;
  const std::size_t n = start.size();
  std::vector<Vertex> simplex{{f(start), start}};
  for (std::size_t i = 0; i < n; ++i) {
    Point p = start;
    p[i] += step[i];
    simplex.emplace_back(f(p), p);
  }
  for (int k = 0; k < iterations; ++k) {
    std::sort(simplex.begin(), simplex.end());
    Vertex& worst = simplex.back();
    Point centre(n, 0.0);
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t i = 0; i < n; ++i) centre[i] += simplex[v].second[i] / static_cast<double>(n);
    const auto at = [&](double t) {  // t = 1 is the worst point, t = −1 its mirror image
      Point p(n);
      for (std::size_t i = 0; i < n; ++i) p[i] = centre[i] + t * (worst.second[i] - centre[i]);
      return Vertex{f(p), p};
    };
    const Vertex mirrored = at(-1);
    if (mirrored.first < simplex.front().first) {
      worst = std::min(mirrored, at(-2));
    } else if (mirrored.first < simplex[n - 1].first) {
      worst = mirrored;
    } else if (const Vertex inner = at(mirrored.first < worst.first ? -0.5 : 0.5);
               inner.first < std::min(mirrored.first, worst.first)) {
      worst = inner;
    } else {
      for (std::size_t v = 1; v <= n; ++v) {
        for (std::size_t i = 0; i < n; ++i)
          simplex[v].second[i] = 0.5 * (simplex[v].second[i] + simplex.front().second[i]);
        simplex[v].first = f(simplex[v].second);
      }
    }
  }
  return std::min_element(simplex.begin(), simplex.end())->second;
}

}  // namespace fdlab

// Colour as people see it: CIEDE2000 (Sharma, Wu, Dalal 2005) and the dichromacies of Machado, Oliveira, Fernandes 2009
// at severity 1, computed in linear RGB.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "viz/theme.h"

namespace fdlab::test {

using Vec3 = std::array<double, 3>;
using Matrix3 = std::array<Vec3, 3>;

constexpr Matrix3 kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix3 kProtan{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix3 kDeutan{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix3 kTritan{
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

inline Vec3 times(const Matrix3& m, Vec3 v) {
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

inline Vec3 linear_rgb(Color c) {
  const auto decode = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return {decode((c & 0xFF) / 255.0), decode((c >> 8 & 0xFF) / 255.0), decode((c >> 16 & 0xFF) / 255.0)};
}

/// L*, a*, b* under D65 as seen through `vision`.
inline Vec3 lab(Color color, const Matrix3& vision) {
  Vec3 rgb = times(vision, linear_rgb(color));
  for (double& v : rgb) v = std::clamp(v, 0.0, 1.0);
  constexpr Matrix3 to_xyz{{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}}};
  const Vec3 xyz = times(to_xyz, rgb);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

inline double ciede2000(Vec3 p, Vec3 q) {
  constexpr double pi = std::numbers::pi, deg = pi / 180;
  const auto pow7 = [](double v) { return std::pow(v, 7); };
  const double mean_c = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
  const double g = 0.5 * (1 - std::sqrt(pow7(mean_c) / (pow7(mean_c) + pow7(25.0))));
  const double a1 = (1 + g) * p[1], a2 = (1 + g) * q[1];
  const double c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
  const auto hue = [&](double a, double b) {
    const double h = std::atan2(b, a);
    return h < 0 ? h + 2 * pi : h;
  };
  const double h1 = c1 == 0 ? 0 : hue(a1, p[2]), h2 = c2 == 0 ? 0 : hue(a2, q[2]);
  double dh = h2 - h1;
  if (c1 * c2 == 0) dh = 0;
  else if (dh > pi) dh -= 2 * pi;
  else if (dh < -pi) dh += 2 * pi;
  const double dL = q[0] - p[0], dC = c2 - c1, dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2);
  const double L = (p[0] + q[0]) / 2, C = (c1 + c2) / 2;
  double h = h1 + h2;
  if (c1 * c2 != 0) {
    if (std::fabs(h1 - h2) > pi) h += h < 2 * pi ? 2 * pi : -2 * pi;
    h /= 2;
  }
  const double t = 1 - 0.17 * std::cos(h - 30 * deg) + 0.24 * std::cos(2 * h) +
                   0.32 * std::cos(3 * h + 6 * deg) - 0.20 * std::cos(4 * h - 63 * deg);
  const double s_L = 1 + 0.015 * (L - 50) * (L - 50) / std::sqrt(20 + (L - 50) * (L - 50));
  const double s_C = 1 + 0.045 * C, s_H = 1 + 0.015 * C * t;
  const double turn = (h / deg - 275) / 25;
  const double r_T = -2 * std::sqrt(pow7(C) / (pow7(C) + pow7(25.0))) *
                     std::sin(60 * deg * std::pow(std::numbers::e, -turn * turn));
  const double x = dL / s_L, y = dC / s_C, z = dH / s_H;
  return std::sqrt(x * x + y * y + z * z + r_T * y * z);
}

}  // namespace fdlab::test

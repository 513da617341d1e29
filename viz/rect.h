// Points and rectangles in pixels, y downwards. No dependency: layout is computed and tested without a
// window.
#pragma once

#include <algorithm>
#include <cmath>

namespace fdlab {

struct Vec2 {
  float x = 0, y = 0;
  friend Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec2 operator*(Vec2 a, float k) { return {a.x * k, a.y * k}; }
  friend bool operator==(Vec2, Vec2) = default;
};

/// Points p with x0 ≤ p.x < x1 and y0 ≤ p.y < y1; no area when x1 ≤ x0 or y1 ≤ y0.
struct Rect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  float width() const { return x1 - x0; }
  float height() const { return y1 - y0; }
  Vec2 center() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
  bool is_empty() const { return x1 <= x0 || y1 <= y0; }
  bool contains(Vec2 p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
  /// True if `inner` lies inside, give or take half a pixel of rounding.
  bool covers(Rect inner) const {
    return inner.x0 >= x0 - 0.5f && inner.x1 <= x1 + 0.5f && inner.y0 >= y0 - 0.5f && inner.y1 <= y1 + 0.5f;
  }
  bool overlaps(Rect b) const { return x0 < b.x1 && b.x0 < x1 && y0 < b.y1 && b.y0 < y1; }
  friend bool operator==(Rect, Rect) = default;

  Rect moved(float dx, float dy) const { return {x0 + dx, y0 + dy, x1 + dx, y1 + dy}; }
  Rect shrunk(float dx, float dy) const { return {x0 + dx, y0 + dy, x1 - dx, y1 - dy}; }
  Rect grown(float d) const { return shrunk(-d, -d); }
  Rect intersect(Rect b) const {
    return {std::max(x0, b.x0), std::max(y0, b.y0), std::min(x1, b.x1), std::min(y1, b.y1)};
  }

  /// The named strip of this rectangle, at most as large as it is.
  Rect top(float h) const { return {x0, y0, x1, std::min(y1, y0 + h)}; }
  Rect bottom(float h) const { return {x0, std::max(y0, y1 - h), x1, y1}; }
  Rect left(float w) const { return {x0, y0, std::min(x1, x0 + w), y1}; }
  Rect right(float w) const { return {std::max(x0, x1 - w), y0, x1, y1}; }
};

inline Rect rect_at(Vec2 corner, float width, float height) {
  return {corner.x, corner.y, corner.x + width, corner.y + height};
}
inline Vec2 snapped(Vec2 p) { return {std::round(p.x), std::round(p.y)}; }
inline Rect snapped(Rect r) {
  return {std::round(r.x0), std::round(r.y0), std::round(r.x1), std::round(r.y1)};
}

/// Cuts strips off a rectangle, from the outside in.
struct Cutter {
  Rect rest;
  Rect top(float h) {
    const Rect r = rest.top(h);
    rest.y0 = r.y1;
    return r;
  }
  Rect bottom(float h) {
    const Rect r = rest.bottom(h);
    rest.y1 = r.y0;
    return r;
  }
  Rect left(float w) {
    const Rect r = rest.left(w);
    rest.x0 = r.x1;
    return r;
  }
  Rect right(float w) {
    const Rect r = rest.right(w);
    rest.x1 = r.x0;
    return r;
  }
};

}  // namespace fdlab

// A vector of floats as core/math sees a number: the few operations that the merge operator and the online step need.
// Included by kernel.cpp alone, which is compiled once per instruction set; the unnamed namespace keeps the copies
// apart.
#pragma once

#include <hwy/highway.h>
// Highway's headers in this order.
#include <hwy/contrib/math/math-inl.h>

#include <cstring>
#include <limits>

#include "core/math/number.h"

namespace fdlab {
namespace {

static_assert(HWY_STATIC_TARGET == FD_TARGET,
              "Highway makes vectors for another instruction set than it was told to");

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;
constexpr FloatTag kFloats{};
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(FloatTag()));

struct FloatsMask {
  hn::Mask<FloatTag> mask;
};

struct Floats {
  FloatVec v;
  Floats(float x) : v(hn::Set(kFloats, x)) {}
  Floats(FloatVec x) : v(x) {}
};

inline Floats operator+(Floats a, Floats b) { return hn::Add(a.v, b.v); }
inline Floats operator-(Floats a, Floats b) { return hn::Sub(a.v, b.v); }
inline Floats operator*(Floats a, Floats b) { return hn::Mul(a.v, b.v); }
inline FloatsMask operator>(Floats a, Floats b) { return {hn::Gt(a.v, b.v)}; }
inline FloatsMask operator==(Floats a, Floats b) { return {hn::Eq(a.v, b.v)}; }
inline Floats select(FloatsMask mask, Floats a, Floats b) { return hn::IfThenElse(mask.mask, a.v, b.v); }

inline Floats fused_multiply_add(Floats a, Floats b, Floats c) { return hn::MulAdd(a.v, b.v, c.v); }
inline FloatsMask mask_of(bool x) { return Floats(x ? 1.0f : 0.0f) == Floats(1.0f); }

/// Base e, to 1 ulp; NaN stays NaN.
struct VectorBaseE {
  static Floats exp(Floats x) { return select(x == x, Floats(hn::Exp(kFloats, x.v)), x); }
};

/// cap · tanh(x / cap), tanh to 4 ulp; NaN stays NaN.
inline Floats soft_capped(Floats x, Floats cap) {
  return select(x == x, Floats(hn::Mul(cap.v, hn::Tanh(kFloats, hn::Div(x.v, cap.v)))), x);
}

/// first, first + 1, …
inline Floats counted_from(float first) { return hn::Iota(kFloats, first); }

/// NaN if any lane is.
inline float largest_lane(Floats x) {
  if (!hn::AllTrue(kFloats, hn::Eq(x.v, x.v))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(kFloats, x.v));
}

inline float first_lane(Floats x) { return hn::GetLane(x.v); }

/// How an element type is read as floats: kLanes of them, or the first `count` followed by zeros.
template <class Stored, class Widen>
struct Reader {
  using Element = Stored;
  static FloatVec load(const Stored* p) { return Widen::widen(p); }
  static FloatVec load(const Stored* p, std::int64_t count) {
    Stored elements[kLanes] = {};
    std::memcpy(elements, p, static_cast<std::size_t>(count) * sizeof(Stored));
    return Widen::widen(elements);
  }
};

struct WidenF32 {
  static FloatVec widen(const float* p) { return hn::LoadU(kFloats, p); }
};
using HalfBits = hn::Rebind<std::uint16_t, FloatTag>;

/// f16 → float. Without instructions for it Highway takes infinities and NaN for numbers.
inline FloatVec widen_halves(hn::Vec<HalfBits> bits) {
  const hn::Rebind<hwy::float16_t, FloatTag> halves;
  const FloatVec x = hn::PromoteTo(kFloats, hn::BitCast(halves, bits));
#if defined(__F16C__) || defined(__aarch64__)
  return x;
#else
  const hn::RebindToUnsigned<FloatTag> wide;
  const auto all = hn::PromoteTo(wide, bits), exponent = hn::Set(wide, 0x7c00u);
  const auto sign = hn::ShiftLeft<16>(hn::And(all, hn::Set(wide, 0x8000u)));
  const auto fraction = hn::ShiftLeft<13>(hn::And(all, hn::Set(wide, 0x3ffu)));
  const auto special = hn::Or(hn::Or(sign, fraction), hn::Set(wide, 0x7f800000u));
  const auto is_special = hn::RebindMask(kFloats, hn::Eq(hn::And(all, exponent), exponent));
  return hn::IfThenElse(is_special, hn::BitCast(kFloats, special), x);
#endif
}

struct WidenF16 {
  static FloatVec widen(const std::uint16_t* p) { return widen_halves(hn::LoadU(HalfBits(), p)); }
};
struct WidenBf16 {
  static FloatVec widen(const std::uint16_t* p) {
    const hn::Rebind<std::uint16_t, FloatTag> bits;
    const hn::RebindToUnsigned<FloatTag> wide;
    return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(bits, p))));
  }
};
/// e4m3 → the f16 of the same fraction, whose exponent bias is 8 larger → float · 2⁸. NaN (S.1111.111) is put in.
struct WidenE4m3 {
  static FloatVec widen(const std::uint8_t* p) {
    const hn::Rebind<std::uint8_t, FloatTag> bytes;
    const HalfBits bits;
    const auto byte = hn::PromoteTo(bits, hn::LoadU(bytes, p));
    const auto magnitude = hn::And(byte, hn::Set(bits, std::uint16_t{0x7f}));
    const auto sign = hn::ShiftLeft<8>(hn::And(byte, hn::Set(bits, std::uint16_t{0x80})));
    const auto finite = hn::ShiftLeft<7>(magnitude);
    const auto is_nan = hn::Eq(magnitude, hn::Set(bits, std::uint16_t{0x7f}));
    const auto half = hn::Or(sign, hn::IfThenElse(is_nan, hn::Set(bits, std::uint16_t{0x7e00}), finite));
    return hn::Mul(widen_halves(half), hn::Set(kFloats, 256.0f));
  }
};

using ReadF32 = Reader<float, WidenF32>;
using ReadF16 = Reader<std::uint16_t, WidenF16>;
using ReadBf16 = Reader<std::uint16_t, WidenBf16>;
using ReadE4m3 = Reader<std::uint8_t, WidenE4m3>;

}  // namespace
}  // namespace fdlab

// Colours by role, in two palettes. A view names a role and never a colour; the same colour means the same
// thing everywhere: m, l, o and S own one each, the accent is only for "now".
#pragma once

#include <array>
#include <cstdint>

namespace fdlab {

/// 0xAABBGGRR, as the draw list takes it.
using Color = std::uint32_t;

constexpr Color rgb(std::uint32_t rrggbb) {
  return 0xFF000000u | (rrggbb & 0xFFu) << 16 | (rrggbb & 0xFF00u) | (rrggbb >> 16 & 0xFFu);
}
/// The colour at `alpha` in [0, 1] of its opacity.
constexpr Color faded(Color c, float alpha) {
  return (c & 0x00FFFFFFu) | static_cast<Color>(static_cast<float>(c >> 24) * alpha + 0.5f) << 24;
}

enum class Theme : std::uint8_t { dark, light };

enum class Role : std::uint8_t {
  bg,          ///< the stage
  panel,       ///< side panels and bars
  card,        ///< on the stage
  raised,      ///< on a panel
  sunken,      ///< an input
  line,        ///< grid, dividers
  line2,       ///< axes, node outlines
  text,        ///< values
  text2,       ///< prose
  text3,       ///< labels, hints, axes, input outlines
  accent,      ///< fill only: current step, changed now, focused choice
  accent_ink,  ///< on accent
  mark,        ///< a line where accent would be one
  accent_bg,   ///< tint of the current or changed column
  m,           ///< maximum
  l,           ///< sum of exponentials
  o,           ///< output
  S,           ///< log-sum-exp
  bad,         ///< differs, NaN, refused; always with a cross, hatch or word
};
inline constexpr int kRoles = static_cast<int>(Role::bad) + 1;

Color color_of(Theme theme, Role role);

/// KV head, stream or device i, mod 8; from 8 on the view adds a hatch. Not beside m, l, o, S.
Color categorical(Theme theme, std::int64_t index);
inline constexpr int kCategories = 8;

/// Black or white ink for text on a data fill, whichever contrasts more.
Color ink_on(Color fill);

/// Weight: t = √(weight / largest). Score: t = 0.5 is score 0. Error: t = 0 is the limit, log scale.
enum class ColorMap : std::uint8_t { weight, score, error };

/// 256 entries interpolated in OKLab; t = 0 of weight and error and t = 0.5 of score fade into the ground.
const std::array<Color, 256>& color_table(Theme theme, ColorMap map);
/// The entry nearest to t, clamped to [0, 1].
Color color_at(Theme theme, ColorMap map, float t);

/// WCAG 2 contrast ratio, 1 to 21.
double contrast(Color a, Color b);

}  // namespace fdlab

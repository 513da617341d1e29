// The fonts of the window: four sizes of FDLab Sans SC (two weights) and a mono, baked by FreeType into one texture
// that holds just the characters in use. Files and licence: fonts/.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"
#include "viz/ui.h"

namespace fdlab {

/// Characters the atlas must hold: S and M also Latin, Greek and common signs, L also ASCII; XL is for figures and holds
/// ASCII alone.
struct FontText {
  std::string text;    ///< whatever may be shown at S and M
  std::string titles;  ///< shown at L
};

/// Bakes all fonts for this F into ImGui's atlas and hands them to `ui`. Between frames only.
/// The fault says which font file is missing or broken.
std::optional<Fault> bake_fonts(Ui& ui, const std::filesystem::path& folder, const FontText& text, float F);

/// Pixels of an M line box at 100 %.
inline constexpr float kFontPixels = 22;
/// Height of a line box of Noto Sans SC in em.
inline constexpr float kLineBoxEm = 1.448f;
/// Height of its capitals in em.
inline constexpr float kCapHeightEm = 0.733f;
/// Baseline below the top of the line box, in em.
inline constexpr float kAscentEm = 1.160f;
/// The size of type in multiples of F.
float size_factor(FontSize size);

}  // namespace fdlab

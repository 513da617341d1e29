// Formulas as print: an SVG per TeX source, made at authoring time, drawn at the present scale. Terms carry
// ids
// ("m-a", "l-b", "o", "S"): they take the colour of their role, and light up under the pointer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"
#include "viz/ui.h"

namespace fdlab {

/// A named part of a formula, its box relative to the formula's left end and baseline, in pixels.
struct FormulaTerm {
  std::string id;
  Rect box;
};

/// Pixels at the size it was asked for.
struct FormulaSize {
  float width = 0, ascent = 0, descent = 0;
};

/// All formulas of the window and the open lesson, found by TeX source. Textures are made when first drawn.
class FormulaBook {
 public:
  FormulaBook();
  ~FormulaBook();
  FormulaBook(const FormulaBook&) = delete;
  FormulaBook& operator=(const FormulaBook&) = delete;

  /// Looks for formulas in this folder too, under the names of lessons/formula.h.
  void add_folder(const std::filesystem::path& folder);
  /// Drops textures (before the scale or the GL context changes).
  void forget_textures() const;

  /// One sentence when the formula's file is missing or broken.
  std::optional<Fault> find_fault(std::string_view tex, bool is_display) const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The TeX em beside text of this font: 1.12 × its em.
float formula_em(const Ui& ui, Font font);

/// Unknown TeX measures as its source text in mono, so that nothing vanishes.
FormulaSize formula_size(const Ui& ui, std::string_view tex, float tex_em, bool is_display = false);
std::vector<FormulaTerm> formula_terms(const Ui& ui, std::string_view tex, float tex_em,
                                       bool is_display = false);

struct FormulaStyle {
  bool is_display = false;   ///< set as TeX sets a formula that stands alone
  Role role = Role::text;    ///< everything without a colour of its own
  bool colors_terms = true;  ///< m, l, o, S in their colours
  bool links_terms = true;   ///< terms light up, and send hover links
  std::string_view id{};
};
/// Draws with the baseline at the point given; returns the size. Returns the id of the term under the pointer
/// in `hovered`.
FormulaSize draw_formula(Ui& ui, Vec2 baseline, std::string_view tex, float tex_em, FormulaStyle style = {},
                         std::string* hovered = nullptr);

}  // namespace fdlab

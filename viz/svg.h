// One SVG of a formula, as MathJax writes it and librsvg draws it. Sizes in em: a formula's file says where its baseline
// is, and each named part has a box.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "viz/rect.h"
#include "viz/theme.h"

namespace fdlab {

/// A named part; box in em from the left end and the baseline, y down.
struct SvgPart {
  std::string id;    ///< each once: "m-a--2"
  std::string term;  ///< what it stands for: "m-a"
  Rect box;
};

/// Straight alpha, rows from the top; the baseline lies on a whole row.
struct SvgPixels {
  int width = 0, height = 0, baseline = 0;
  std::vector<std::uint32_t> rgba;
};

class Svg {
 public:
  static Result<Svg> load(const std::filesystem::path& file);

  float width_em() const { return width_; }
  float ascent_em() const { return ascent_; }
  float descent_em() const { return descent_; }
  const std::vector<SvgPart>& parts() const { return parts_; }

  struct Tint {
    std::string id;
    Color color;
  };
  /// Drawn in `color`, with the parts named in `tints` in theirs.
  SvgPixels render(float em_pixels, Color color, const std::vector<Tint>& tints) const;

 private:
  struct Handle;
  std::shared_ptr<Handle> handle_;
  float width_ = 0, ascent_ = 0, descent_ = 0;
  std::vector<SvgPart> parts_;
};

}  // namespace fdlab

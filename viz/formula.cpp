#include "viz/formula.h"

#include <GL/gl.h>
#include <imgui.h>

#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "lessons/formula.h"
#include "viz/draw.h"
#include "viz/svg.h"

namespace fdlab {
namespace {

struct Texture {
  GLuint name = 0;
  SvgPixels pixels;  // without the bits
};

Texture upload(SvgPixels pixels) {
  Texture texture;
  glGenTextures(1, &texture.name);
  glBindTexture(GL_TEXTURE_2D, texture.name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, pixels.width, pixels.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               pixels.rgba.data());
  pixels.rgba.clear();
  texture.pixels = std::move(pixels);
  return texture;
}

/// The role of a term by the letter its id begins with: "m", "m-a", "o.3".
std::optional<Role> role_of_term(std::string_view id) {
  if (id.size() > 1 && id[1] != '-' && id[1] != '.') return std::nullopt;
  switch (id.empty() ? 0 : id[0]) {
    case 'm': return Role::m;
    case 'l': return Role::l;
    case 'o': return Role::o;
    case 'S': return Role::S;
    default: return std::nullopt;
  }
}

}  // namespace

struct FormulaBook::Impl {
  using Key =
      std::tuple<std::string, bool, int, Color, Theme, bool>;  // TeX, display, em in 1/64 px, colour …

  std::vector<std::filesystem::path> folders;
  std::map<std::pair<std::string, bool>, Result<Svg>> svgs;
  std::map<Key, Texture> textures;

  const Result<Svg>& svg(std::string_view tex, bool is_display) {
    const std::pair key{std::string(tex), is_display};
    if (const auto at = svgs.find(key); at != svgs.end()) return at->second;
    const std::string name = svg_name({key.first, is_display});
    std::filesystem::path file = name;
    for (const auto& folder : folders)
      if (std::error_code error; std::filesystem::exists(folder / name, error)) file = folder / name;
    return svgs.emplace(key, Svg::load(file)).first->second;
  }

  const Texture& texture(const Ui& ui, const Svg& svg, std::string_view tex, float tex_em,
                         const FormulaStyle& style) {
    const Color color = ui.color(style.role);
    const Key key{std::string(tex), style.is_display,  static_cast<int>(tex_em * 64), color,
                  ui.theme,         style.colors_terms};
    if (const auto at = textures.find(key); at != textures.end()) return at->second;
    std::vector<Svg::Tint> tints;
    for (const SvgPart& part : svg.parts())
      if (const auto role = role_of_term(part.term); role && style.colors_terms)
        tints.push_back({part.id, ui.color(*role)});
    return textures.emplace(key, upload(svg.render(tex_em, color, tints))).first->second;
  }
};

FormulaBook::FormulaBook() : impl_(std::make_unique<Impl>()) {}
FormulaBook::~FormulaBook() { forget_textures(); }

void FormulaBook::add_folder(const std::filesystem::path& folder) {
  impl_->folders.push_back(folder);
  impl_->svgs.clear();
}

void FormulaBook::forget_textures() const {
  for (const auto& [key, texture] : impl_->textures) glDeleteTextures(1, &texture.name);
  impl_->textures.clear();
}

std::optional<Fault> FormulaBook::find_fault(std::string_view tex, bool is_display) const {
  const Result<Svg>& svg = impl_->svg(tex, is_display);
  if (svg) return std::nullopt;
  return svg.fault();
}

float formula_em(const Ui& ui, Font font) { return 1.12f * em(ui, font); }

FormulaSize formula_size(const Ui& ui, std::string_view tex, float tex_em, bool is_display) {
  const Result<Svg>& svg = ui.formulas->impl().svg(tex, is_display);
  if (svg) return {svg->width_em() * tex_em, svg->ascent_em() * tex_em, svg->descent_em() * tex_em};
  const Font mono{.mono = true};
  return {text_width(ui, mono, tex), em(ui, mono), 0.3f * em(ui, mono)};
}

std::vector<FormulaTerm> formula_terms(const Ui& ui, std::string_view tex, float tex_em, bool is_display) {
  std::vector<FormulaTerm> terms;
  if (const Result<Svg>& svg = ui.formulas->impl().svg(tex, is_display); svg)
    for (const SvgPart& part : svg->parts())
      terms.push_back(
          {part.term,
           {part.box.x0 * tex_em, part.box.y0 * tex_em, part.box.x1 * tex_em, part.box.y1 * tex_em}});
  return terms;
}

FormulaSize draw_formula(Ui& ui, Vec2 baseline, std::string_view tex, float tex_em, FormulaStyle style,
                         std::string* hovered) {
  const FormulaSize size = formula_size(ui, tex, tex_em, style.is_display);
  baseline = snapped(baseline);
  const Rect box{baseline.x, baseline.y - size.ascent, baseline.x + size.width, baseline.y + size.descent};
  if (ui.dump)
    ui.dump->entries.push_back(
        {std::string(style.id), std::string(tex), "", box, !ui.internals.text_clips.back().covers(box)});
  if (!ui.internals.clips.back().overlaps(box)) return size;
  const Result<Svg>& svg = ui.formulas->impl().svg(tex, style.is_display);
  if (!svg) {
    text_at(ui, baseline, tex, {.font = {.mono = true}, .role = style.role});
    return size;
  }
  const Texture& texture = ui.formulas->impl().texture(ui, *svg, tex, tex_em, style);
  const float x = baseline.x - 1, y = baseline.y - static_cast<float>(texture.pixels.baseline);
  ui.draw->AddImage(
      reinterpret_cast<void*>(static_cast<std::intptr_t>(texture.name)), {x, y},
      {x + static_cast<float>(texture.pixels.width), y + static_cast<float>(texture.pixels.height)});
  if (!style.links_terms) return size;
  for (const FormulaTerm& term : formula_terms(ui, tex, tex_em, style.is_display)) {
    const Rect at = snapped(term.box.moved(baseline.x, baseline.y).grown(ui.px(2)));
    if (ui.is_linked(term.id))
      outline(ui, at, ui.color(role_of_term(term.id).value_or(Role::text)), ui.px(1));
    if (!is_pointed_at(ui, at)) continue;
    ui.link(term.id);
    if (hovered) *hovered = term.id;
  }
  return size;
}

}  // namespace fdlab

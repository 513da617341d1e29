#include "viz/svg.h"

#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "lessons/formula.h"

namespace fdlab {
namespace {

constexpr float kUnitsPerEm = 1000;

Fault broken(const std::filesystem::path& file, const std::string& found) {
  return {fmt::format("{}: expected a formula as SVG, found {}", file.string(), found)};
}

/// Every id in the file, in order.
std::vector<std::string> ids_in(const std::string& text) {
  constexpr std::string_view kId = " id=\"";
  std::vector<std::string> ids;
  for (std::size_t at = 0; (at = text.find(kId, at)) != std::string::npos;) {
    at += kId.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string::npos) break;
    ids.push_back(text.substr(at, end - at));
  }
  return ids;
}

std::string css_color(Color c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c & 0xFF, c >> 8 & 0xFF, c >> 16 & 0xFF);
}

// Cairo's premultiplied ARGB to straight RGBA.
std::uint32_t straight(std::uint32_t argb) {
  const std::uint32_t a = argb >> 24;
  if (a == 0) return 0;
  const auto channel = [&](int shift) { return std::min(255u, ((argb >> shift & 0xFF) * 255 + a / 2) / a); };
  return a << 24 | channel(0) << 16 | channel(8) << 8 | channel(16);
}

}  // namespace

struct Svg::Handle {
  RsvgHandle* rsvg;
  explicit Handle(RsvgHandle* handle) : rsvg(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { g_object_unref(rsvg); }
};

Result<Svg> Svg::load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return broken(file, "no such file");
  const std::string text{std::istreambuf_iterator<char>(in), {}};

  GError* error = nullptr;
  RsvgHandle* rsvg =
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(text.data()), text.size(), &error);
  if (!rsvg) {
    Fault fault = broken(file, error ? error->message : "something else");
    g_clear_error(&error);
    return fault;
  }
  Svg svg;
  svg.handle_ = std::make_shared<Handle>(rsvg);

  gboolean has_width = FALSE, has_height = FALSE, has_viewbox = FALSE;
  RsvgLength width, height;
  RsvgRectangle viewbox{};
  rsvg_handle_get_intrinsic_dimensions(rsvg, &has_width, &width, &has_height, &height, &has_viewbox,
                                       &viewbox);
  if (!has_viewbox || viewbox.width <= 0 || viewbox.height <= 0) return broken(file, "no viewBox");
  svg.width_ = static_cast<float>(viewbox.width) / kUnitsPerEm;
  svg.ascent_ = static_cast<float>(-viewbox.y) / kUnitsPerEm;
  svg.descent_ = static_cast<float>(viewbox.height + viewbox.y) / kUnitsPerEm;

  // Boxes in a viewport of the viewBox's own size come out in its units.
  const RsvgRectangle viewport{0, 0, viewbox.width, viewbox.height};
  for (const std::string& id : ids_in(text)) {
    RsvgRectangle ink{}, logical{};
    if (!rsvg_handle_get_geometry_for_layer(rsvg, ("#" + id).c_str(), &viewport, &ink, &logical, nullptr))
      continue;
    const auto em = [](double units) { return static_cast<float>(units) / kUnitsPerEm; };
    const float x = em(ink.x), y = em(ink.y) - svg.ascent_;
    svg.parts_.push_back({id, std::string(term_of_id(id)), {x, y, x + em(ink.width), y + em(ink.height)}});
  }
  return svg;
}

SvgPixels Svg::render(float em_pixels, Color color, const std::vector<Tint>& tints) const {
  const float ascent = std::ceil(ascent_ * em_pixels), descent = std::ceil(descent_ * em_pixels);
  SvgPixels out{static_cast<int>(std::ceil(width_ * em_pixels)) + 2,
                static_cast<int>(ascent + descent) + 2,
                static_cast<int>(ascent) + 1,
                {}};

  std::string css = fmt::format("svg{{color:{}}}", css_color(color));
  for (const Tint& tint : tints)
    css += fmt::format("#{0},#{0} *{{fill:{1};stroke:{1}}}", tint.id, css_color(tint.color));
  rsvg_handle_set_stylesheet(handle_->rsvg, reinterpret_cast<const guint8*>(css.data()), css.size(), nullptr);

  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, out.width, out.height);
  cairo_t* cairo = cairo_create(surface);
  const RsvgRectangle viewport{1, out.baseline - ascent_ * em_pixels, width_ * em_pixels,
                               (ascent_ + descent_) * em_pixels};
  rsvg_handle_render_document(handle_->rsvg, cairo, &viewport, nullptr);
  cairo_surface_flush(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const std::size_t stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  for (int y = 0; y < out.height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(data + static_cast<std::size_t>(y) * stride);
    for (int x = 0; x < out.width; ++x) out.rgba.push_back(straight(row[x]));
  }
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return out;
}

}  // namespace fdlab

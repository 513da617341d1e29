#include <imgui.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/fonts.h"
#include "viz/utf8.h"

namespace fdlab {
namespace {

constexpr std::string_view kEllipsis = "…";

const ImFont& face_of(const Ui& ui, Font font) {
  if (font.mono && ui.internals.mono) return *ui.internals.mono;
  return *ui.internals.fonts[static_cast<int>(font.size)][font.bold ? 1 : 0];
}

const ImFontGlyph* glyph_of(const Ui& ui, const ImFont& face, char32_t c) {
  const ImWchar code = c <= 0xFFFF ? static_cast<ImWchar>(c) : 0xFFFD;
  if (const ImFontGlyph* glyph = face.FindGlyphNoFallback(code)) return glyph;
  if (ui.internals.missing) ui.internals.missing->push_back(code);
  return face.FallbackGlyph;
}

// Glyphs stand at whole pixels, their advances add up unrounded: sharp stems, true widths.
void draw_glyphs(const Ui& ui, const ImFont& face, Vec2 top_left, Color color, std::string_view text) {
  ImDrawList& draw = *ui.draw;
  const ImVec4& clip = draw._ClipRectStack.back();
  if (top_left.y > clip.w || top_left.y + face.FontSize < clip.y) return;
  float pen = top_left.x;
  for (std::string_view rest = text; !rest.empty();) {
    const ImFontGlyph* glyph = glyph_of(ui, face, take_character(rest));
    if (glyph->Visible) {
      const float x = std::round(pen);
      draw.PrimReserve(6, 4);
      draw.PrimRectUV({x + glyph->X0, top_left.y + glyph->Y0}, {x + glyph->X1, top_left.y + glyph->Y1},
                      {glyph->U0, glyph->V0}, {glyph->U1, glyph->V1}, color);
    }
    pen += glyph->AdvanceX;
  }
}

void note(Ui& ui, Rect r, std::string_view text, const TextStyle& style, bool is_shortened) {
  if (!ui.dump) return;
  const bool is_cut = !ui.internals.text_clips.back().covers(r);
  ui.dump->entries.push_back(
      {std::string(style.id), std::string(style.label), std::string(text), r, is_shortened || is_cut});
}

// The longest beginning of `text` that leaves room for "…".
std::string_view shortened(const Ui& ui, Font font, std::string_view text, float width) {
  const float room = width - text_width(ui, font, kEllipsis);
  const ImFont& face = face_of(ui, font);
  float used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    used += glyph_of(ui, face, take_character(rest))->AdvanceX;
    if (used > room) return text.substr(0, text.size() - before.size());
  }
  return text;
}

float aligned(Rect box, float width, Align align) {
  if (align == Align::left) return box.x0;
  if (align == Align::right) return box.x1 - width;
  return box.x0 + (box.width() - width) / 2;
}

// One line's worth of the text: up to the last place where it may be broken.
std::string_view take_line(const Ui& ui, Font font, std::string_view& text, float width) {
  const ImFont& face = face_of(ui, font);
  float used = 0;
  std::size_t best = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t c = take_character(rest);
    const std::size_t end = text.size() - rest.size();
    used += glyph_of(ui, face, c)->AdvanceX;
    if (used > width && c != ' ' && best > 0) break;
    std::string_view next = rest;
    const char32_t following = next.empty() ? U' ' : take_character(next);
    const bool may_break = c == ' ' || following == ' ' || is_wide(c) || is_wide(following);
    if (rest.empty() || (may_break && !is_closing(following) && !is_opening(c) && following != ' '))
      best = end;
  }
  const std::string_view line = text.substr(0, best);
  text.remove_prefix(best);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

float em(const Ui& ui, Font font) { return std::round(ui.F * size_factor(font.size)) / kLineBoxEm; }

float line_height(const Ui& ui, Font font) {
  constexpr std::array factors{1.5f, 1.6f, 1.2f, 1.1f};
  const bool is_chinese_prose = font.size == FontSize::M && ui.language == Language::zh;
  return std::round(em(ui, font) * (is_chinese_prose ? 1.75f : factors[static_cast<std::size_t>(font.size)]));
}

float text_width(const Ui& ui, Font font, std::string_view text) {
  const ImFont& face = face_of(ui, font);
  float width = 0;
  for (std::string_view rest = text; !rest.empty();)
    width += glyph_of(ui, face, take_character(rest))->AdvanceX;
  return width;
}

float baseline_in(const Ui& ui, Font font, float height) {
  return std::round((height + kCapHeightEm * em(ui, font)) / 2);
}

float text_at(Ui& ui, Vec2 baseline, std::string_view text, TextStyle style) {
  const ImFont& face = face_of(ui, style.font);
  const float width = text_width(ui, style.font, text);
  const float x = baseline.x - (style.align == Align::left    ? 0
                                : style.align == Align::right ? width
                                                              : width / 2);
  const float ascent = std::round(face.FontSize * kAscentEm / kLineBoxEm);
  const Vec2 top_left{std::round(x), std::round(baseline.y) - ascent};
  draw_glyphs(ui, face, top_left, style.color.value_or(ui.color(style.role)), text);
  const float cap = kCapHeightEm * em(ui, style.font);
  note(ui, {top_left.x, baseline.y - cap, top_left.x + width, baseline.y + 0.2f * em(ui, style.font)}, text,
       style, false);
  return width;
}

void text_in(Ui& ui, Rect box, std::string_view text, TextStyle style) {
  const float width = text_width(ui, style.font, text);
  const float baseline = box.y0 + baseline_in(ui, style.font, box.height());
  const Align align = style.align;
  style.align = Align::left;
  if (width <= box.width() + 0.5f) {
    text_at(ui, {aligned(box, width, align), baseline}, text, style);
    return;
  }
  const std::string shown =
      std::string(shortened(ui, style.font, text, box.width())) + std::string(kEllipsis);
  Dump* const dump = std::exchange(ui.dump, nullptr);
  text_at(ui, {box.x0, baseline}, shown, style);
  ui.dump = dump;
  note(ui, box, text, style, true);
  if (ui.internals.clips.back().intersect(box).contains(ui.mouse.position)) tooltip(ui, box, text);
}

float text_wrapped(Ui& ui, Rect box, std::string_view text, TextStyle style) {
  Dump* const dump = std::exchange(ui.dump, nullptr);  // entered once, as a whole
  const float height = line_height(ui, style.font);
  const Align align = std::exchange(style.align, Align::left);
  float y = box.y0;
  for (std::string_view rest = text; !rest.empty(); y += height) {
    const std::string_view line = take_line(ui, style.font, rest, box.width());
    const float x = aligned(box, text_width(ui, style.font, line), align);
    text_at(ui, {x, y + baseline_in(ui, style.font, height)}, line, style);
  }
  ui.dump = dump;
  note(ui, {box.x0, box.y0, box.x1, y}, text, style, false);
  return y - box.y0;
}

float text_wrapped_height(const Ui& ui, float width, std::string_view text, Font font) {
  float lines = 0;
  for (std::string_view rest = text; !rest.empty(); ++lines) take_line(ui, font, rest, width);
  return lines * line_height(ui, font);
}

void number_in(Ui& ui, Rect box, double value, int decimals, TextStyle style) {
  const std::string text = fixed_text(value, decimals);
  style.align = Align::right;
  if (std::isnan(value) || value == std::numeric_limits<double>::infinity()) {
    const float width = text_width(ui, style.font, text) + ui.u;
    const Rect inverse =
        snapped(box.right(width).shrunk(0, (box.height() - 1.1f * ui.F * size_factor(style.font.size)) / 2));
    fill(ui, inverse, ui.color(Role::bad));
    style.color = ink_on(ui.color(Role::bad));
    style.font.bold = true;
    box.x1 -= ui.u / 2;
  }
  text_in(ui, box, text, style);
}

}  // namespace fdlab

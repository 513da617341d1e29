#include "viz/fonts.h"

#include <fmt/format.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include <imgui.h>
#include <imgui_freetype.h>
#include <unistd.h>

#include <array>
#include <cmath>

namespace fdlab {
namespace {

constexpr float kBlankEm = 0.25f;
constexpr const char* kRegular = "FDLabSansSC-Regular.otf";
constexpr const char* kBold = "FDLabSansSC-Bold.otf";
constexpr const char* kMono = "FDLabMonoSC-Regular.otf";

// ImGui keeps a pointer to the ranges as long as the atlas lives.
struct Ranges {
  ImVector<ImWchar> text, titles;
};
Ranges& ranges() {
  static Ranges all;
  return all;
}

constexpr ImWchar kAscii[] = {0x20, 0x7E, 0};
// Latin, Greek, punctuation, small figures, arrows, mathematical and geometric signs: few of each are in the files.
constexpr ImWchar kCommon[] = {0x20,   0x7E,   0xA0,   0xFF,   0x391,  0x3C9,  0x2010, 0x2033, 0x2070,
                               0x2099, 0x2190, 0x22FF, 0x2423, 0x2423, 0x25A0, 0x25FF, 0};

void build_ranges(ImVector<ImWchar>& out, const ImWchar* base, const std::string& text) {
  ImFontGlyphRangesBuilder builder;
  builder.AddRanges(base);
  builder.AddText(text.c_str());
  out.clear();
  builder.BuildRanges(&out);
}

// FreeType's builder rounds every advance up to whole pixels, which spaces small text too wide. Put the true advances
// back; glyphs are still drawn at whole pixels (draw_text).
void restore_advances(ImFont& font, FT_Face face, float line_pixels) {
  const float pixels_per_unit = line_pixels / static_cast<float>(face->ascender - face->descender);
  for (ImFontGlyph& glyph : font.Glyphs) {
    FT_Fixed units = 0;
    const FT_UInt index = FT_Get_Char_Index(face, glyph.Codepoint);
    if (index != 0 && FT_Get_Advance(face, index, FT_LOAD_NO_SCALE, &units) == 0)
      glyph.AdvanceX = static_cast<float>(units) * pixels_per_unit;
    if (glyph.Codepoint == ' ')  // Noto's is narrow: words would run together at 13 pixels
      glyph.AdvanceX =
          std::max(glyph.AdvanceX, kBlankEm * static_cast<float>(face->units_per_EM) * pixels_per_unit);
  }
  font.BuildLookupTable();
}

struct Baked {
  ImFont* font;
  std::string file;
};

Baked add_font(const std::string& file, float pixels, const ImWchar* glyphs) {
  ImFontConfig config;
  config.OversampleH = config.OversampleV = 1;
  config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  return {ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), pixels, &config, glyphs), file};
}

std::optional<Fault> restore_all_advances(const std::vector<Baked>& baked) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return Fault{"expected FreeType to start, found that it does not"};
  std::optional<Fault> fault;
  for (const Baked& b : baked) {
    FT_Face face = nullptr;
    if (FT_New_Face(library, b.file.c_str(), 0, &face) != 0) {
      fault = Fault{fmt::format("{}: expected a font, found something else", b.file)};
      break;
    }
    restore_advances(*b.font, face, b.font->FontSize);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return fault;
}

}  // namespace

float size_factor(FontSize size) {
  constexpr std::array factors{0.85f, 1.0f, 1.65f, 2.2f};
  return factors[static_cast<std::size_t>(size)];
}

std::optional<Fault> bake_fonts(Ui& ui, const std::filesystem::path& folder, const FontText& text, float F) {
  for (const char* name : {kRegular, kBold, kMono})
    if (access((folder / name).c_str(), R_OK) != 0)
      return Fault{fmt::format("{}: expected a font file, found none", (folder / name).string())};

  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.Flags = ImFontAtlasFlags_NoPowerOfTwoHeight | ImFontAtlasFlags_NoMouseCursors;
  build_ranges(ranges().text, kCommon, text.text + text.titles);
  build_ranges(ranges().titles, kAscii, text.titles + "−…—“”");

  std::vector<Baked> baked;
  const auto bake = [&](const char* file, FontSize size, const ImWchar* glyphs) {
    baked.push_back(add_font((folder / file).string(), std::round(F * size_factor(size)), glyphs));
    return baked.back().font;
  };
  const ImWchar *all = ranges().text.Data, *titles = ranges().titles.Data;
  auto& fonts = ui.internals.fonts;
  fonts[1][0] = bake(kRegular, FontSize::M, all);  // first: what ImGui itself writes with
  fonts[1][1] = bake(kBold, FontSize::M, all);
  fonts[0][0] = fonts[0][1] = bake(kRegular, FontSize::S, all);
  fonts[2][0] = bake(kRegular, FontSize::L, titles);
  fonts[2][1] = bake(kBold, FontSize::L, titles);
  fonts[3][0] = bake(kRegular, FontSize::XL, kAscii);
  fonts[3][1] = bake(kBold, FontSize::XL, kAscii);
  ui.internals.mono = bake(kMono, FontSize::M, all);
  if (!atlas.Build())
    return Fault{fmt::format("{}: expected fonts, found files that FreeType cannot read", folder.string())};

  ui.F = F;
  ui.u = std::round(F / 4);
  ui.scale = F / kFontPixels;
  return restore_all_advances(baked);
}

}  // namespace fdlab

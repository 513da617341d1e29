#include <doctest/doctest.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "viz/strings.h"
#include "viz/utf8.h"

using namespace fdlab;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = FDLAB_SOURCE_DIR;

/// A font file opened by FreeType.
struct Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  explicit Face(const char* name) {
    REQUIRE(FT_Init_FreeType(&library) == 0);
    REQUIRE(FT_New_Face(library, (kRoot / "viz/fonts" / name).c_str(), 0, &face) == 0);
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
  ~Face() {
    FT_Done_Face(face);
    FT_Done_FreeType(library);
  }
  bool has(char32_t c) const { return FT_Get_Char_Index(face, c) != 0; }
};

std::set<char32_t> characters_of(std::string_view text) {
  std::set<char32_t> out;
  while (!text.empty())
    if (const char32_t c = take_character(text); c >= 0x20) out.insert(c);
  return out;
}

std::set<char32_t> characters_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return characters_of(text.str());
}

}  // namespace

TEST_CASE("the shipped fonts hold every character of the lessons and of the window") {
  std::set<char32_t> used = characters_of(all_phrases());
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "lessons")) {
    const fs::path& path = entry.path();
    if (path.string().find("node_modules") != std::string::npos) continue;
    const bool is_text =
        path.extension() == ".md" || path.extension() == ".toml" || path.filename() == "tokens.json";
    if (!is_text || path.filename() == "FORMAT.md") continue;
    used.merge(characters_of_file(path));
    ++files;
  }
  CHECK(files >= 3);
  CHECK(used.size() > 300);  // two languages
  for (const char* name : {"FDLabSansSC-Regular.otf", "FDLabSansSC-Bold.otf"}) {
    const Face face(name);
    std::string missing;
    for (const char32_t c : used)
      if (!face.has(c)) missing += "U+" + std::to_string(static_cast<unsigned>(c)) + " ";
    CAPTURE(name);
    CHECK(missing == "");  // run viz/fonts/build_fonts.py
    CHECK_FALSE(face.has(0x1F600));
  }
}

TEST_CASE("figures have one width, the minus sign too") {
  for (const char* name : {"FDLabSansSC-Regular.otf", "FDLabSansSC-Bold.otf"}) {
    const Face face(name);
    std::set<FT_Pos> widths;
    for (const char32_t c : std::u32string(U"0123456789\u2212")) {
      REQUIRE(FT_Load_Char(face.face, c, FT_LOAD_NO_SCALE) == 0);
      widths.insert(face.face->glyph->metrics.horiAdvance);
    }
    CHECK(widths.size() == 1);
  }
}

TEST_CASE("fonts have names of their own, and their licence beside them") {
  for (const char* name : {"FDLabSansSC-Regular.otf", "FDLabSansSC-Bold.otf", "FDLabMonoSC-Regular.otf"}) {
    const Face face(name);
    CHECK(std::string(face.face->family_name).starts_with("FDLab"));
  }
  CHECK(fs::exists(kRoot / "viz/fonts/OFL.txt"));
}

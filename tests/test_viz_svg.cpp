#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "temporary_folder.h"
#include "viz/svg.h"

using namespace fdlab;

namespace {

// A square of 1 em on the baseline and one of half an em below it, both called "m-a".
constexpr const char* kTwoSquares =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -1000 2000 1500"><g fill="currentColor">)"
    R"(<g id="m-a"><path d="M0,-1000h1000v1000h-1000z"/></g><g id="m-a--2"><path d="M1500,0h500v500h-500z"/></g></g></svg>)";

Result<Svg> svg_from(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder / "formula.svg";
  std::ofstream(file) << text;
  return Svg::load(file);
}

std::uint32_t pixel(const SvgPixels& p, int x, int y) {
  return p
      .rgba[static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)];
}

}  // namespace

TEST_CASE("a formula knows its baseline and its parts") {
  const auto svg = svg_from(kTwoSquares);
  REQUIRE(svg);
  CHECK(svg->width_em() == 2);
  CHECK(svg->ascent_em() == 1);
  CHECK(svg->descent_em() == 0.5f);
  REQUIRE(svg->parts().size() == 2);
  CHECK(svg->parts()[0].term == "m-a");
  CHECK(svg->parts()[1].term == "m-a");
  CHECK(svg->parts()[1].id == "m-a--2");
  const Rect first = svg->parts()[0].box, second = svg->parts()[1].box;
  CHECK(first.x0 == doctest::Approx(0).epsilon(0.001));
  CHECK(first.y0 == doctest::Approx(-1));
  CHECK(first.y1 == doctest::Approx(0).epsilon(0.001));
  CHECK(second.x0 == doctest::Approx(1.5));
  CHECK(second.y1 == doctest::Approx(0.5));
}

TEST_CASE("a term takes its colour wherever it stands, the rest takes the text's") {
  const auto svg = svg_from(kTwoSquares);
  REQUIRE(svg);
  const Color text = rgb(0x123456), orange = rgb(0xEE7518);
  const SvgPixels plain = svg->render(20, text, {}),
                  tinted = svg->render(20, text, {{"m-a", orange}, {"m-a--2", orange}});
  CHECK(plain.baseline == 21);
  CHECK(pixel(plain, 10, 10) == text);
  CHECK(pixel(tinted, 10, 10) == orange);
  CHECK(pixel(tinted, 35, plain.baseline + 5) == orange);
  CHECK(pixel(tinted, 25, 10) == 0);
}

TEST_CASE("what is no formula is refused in one sentence") {
  for (const char* bad :
       {"", "text", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<html></html>"}) {
    CAPTURE(bad);
    const auto svg = svg_from(bad);
    REQUIRE_FALSE(svg);
    CHECK(svg.fault().sentence.find("expected a formula") != std::string::npos);
  }
  CHECK_FALSE(Svg::load("no/such/file.svg"));
}

#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

#include "color_difference.h"
#include "viz/theme.h"

using namespace fdlab;
using namespace fdlab::test;

namespace {

using Colors = std::vector<Color>;

Colors of_roles(Theme theme, std::initializer_list<Role> roles) {
  Colors out;
  for (const Role role : roles) out.push_back(color_of(theme, role));
  return out;
}

Colors categories(Theme theme) {
  Colors out;
  for (int i = 0; i < kCategories; ++i) out.push_back(categorical(theme, i));
  return out;
}

double least_distance(const Colors& colors, const Matrix3& vision) {
  double least = 1e9;
  for (std::size_t i = 0; i < colors.size(); ++i)
    for (std::size_t j = i + 1; j < colors.size(); ++j)
      least = std::min(least, ciede2000(lab(colors[i], vision), lab(colors[j], vision)));
  return least;
}

double least_contrast(const Colors& colors, Color ground) {
  double least = 1e9;
  for (const Color c : colors) least = std::min(least, contrast(c, ground));
  return least;
}

// The published figures are rounded to one decimal.
void check_distances(const Colors& colors, double normal, double protan, double deutan, double tritan) {
  CHECK(least_distance(colors, kNormal) == doctest::Approx(normal).epsilon(0.06 / normal));
  CHECK(least_distance(colors, kProtan) == doctest::Approx(protan).epsilon(0.06 / protan));
  CHECK(least_distance(colors, kDeutan) == doctest::Approx(deutan).epsilon(0.06 / deutan));
  CHECK(least_distance(colors, kTritan) == doctest::Approx(tritan).epsilon(0.06 / tritan));
}

void check_contrast(double found, double published) { CHECK(std::fabs(found - published) <= 0.06); }

constexpr std::initializer_list<Role> kStatistics{Role::m, Role::l, Role::o, Role::S};

}  // namespace

TEST_CASE(
    "colour difference agrees with the published pairs") {  // Sharma, Wu, Dalal, table 1: pairs 1, 7, 17, 25
  CHECK(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == doctest::Approx(2.0425).epsilon(1e-4));
  CHECK(ciede2000({50, 0, 0}, {50, -1, 2}) == doctest::Approx(2.3669).epsilon(1e-4));
  CHECK(ciede2000({50, 2.5, 0}, {73, 25, -18}) == doctest::Approx(27.1492).epsilon(1e-4));
  CHECK(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) ==
        doctest::Approx(1.2644).epsilon(1e-4));
}

TEST_CASE("m, l, o, S stay apart for every eye") {
  check_distances(of_roles(Theme::dark, kStatistics), 32.2, 13.4, 17.3, 18.9);
  check_distances(of_roles(Theme::light, kStatistics), 27.3, 13.6, 11.3, 11.4);
  check_distances(of_roles(Theme::dark, {Role::m, Role::l, Role::o, Role::S, Role::accent, Role::bad}), 21.1,
                  12.5, 15.0, 11.2);
  check_distances(of_roles(Theme::light, {Role::m, Role::l, Role::o, Role::S, Role::bad}), 25.9, 13.6, 11.3,
                  11.4);
}

TEST_CASE("categories stay apart for every eye") {
  check_distances(categories(Theme::dark), 15.6, 11.2, 12.7, 12.2);
  check_distances(categories(Theme::light), 19.7, 13.2, 12.8, 13.8);
  CHECK(categorical(Theme::dark, 9) == categorical(Theme::dark, 1));
}

TEST_CASE("every colour is read on its ground") {
  const auto role = [](Theme theme, Role which) { return color_of(theme, which); };
  const Colors dark = of_roles(Theme::dark, kStatistics), light = of_roles(Theme::light, kStatistics);
  check_contrast(least_contrast(dark, role(Theme::dark, Role::card)), 5.5);
  check_contrast(least_contrast(dark, role(Theme::dark, Role::accent_bg)), 4.8);
  check_contrast(least_contrast(light, role(Theme::light, Role::card)), 5.5);
  check_contrast(least_contrast(light, role(Theme::light, Role::bg)), 4.8);
  check_contrast(least_contrast(light, role(Theme::light, Role::accent_bg)), 5.0);
  check_contrast(contrast(role(Theme::dark, Role::bad), role(Theme::dark, Role::card)), 8.3);
  check_contrast(contrast(role(Theme::light, Role::bad), role(Theme::light, Role::bg)), 8.4);
  check_contrast(contrast(role(Theme::dark, Role::accent_ink), role(Theme::dark, Role::accent)), 13.1);
  check_contrast(contrast(role(Theme::light, Role::accent_ink), role(Theme::light, Role::accent)), 13.0);
  check_contrast(contrast(role(Theme::dark, Role::text), role(Theme::dark, Role::raised)), 13.0);
  check_contrast(contrast(role(Theme::dark, Role::text2), role(Theme::dark, Role::raised)), 7.6);
  check_contrast(contrast(role(Theme::dark, Role::text3), role(Theme::dark, Role::raised)), 5.1);
  check_contrast(contrast(role(Theme::dark, Role::text3), role(Theme::dark, Role::accent_bg)), 4.7);
  check_contrast(contrast(role(Theme::light, Role::text), role(Theme::light, Role::sunken)), 14.6);
  check_contrast(contrast(role(Theme::light, Role::text2), role(Theme::light, Role::sunken)), 7.2);
  check_contrast(contrast(role(Theme::light, Role::text3), role(Theme::light, Role::sunken)), 4.6);
  check_contrast(least_contrast(categories(Theme::dark), role(Theme::dark, Role::bg)), 4.4);
  check_contrast(least_contrast(categories(Theme::dark), role(Theme::dark, Role::card)), 3.9);
  check_contrast(least_contrast(categories(Theme::light), role(Theme::light, Role::bg)), 3.1);
  check_contrast(least_contrast(categories(Theme::light), role(Theme::light, Role::card)), 3.7);
}

TEST_CASE("ink on a data fill is the one that contrasts more") {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    for (const Color fill : categories(theme)) {
      CHECK(contrast(ink_on(fill), fill) >= contrast(rgb(0x101317), fill));
      CHECK(contrast(ink_on(fill), fill) >= contrast(rgb(0xFFFFFF), fill));
      CHECK(contrast(ink_on(fill), fill) > 4.3);
    }
  }
}

TEST_CASE("colour maps: ends as published, lightness monotone for every eye") {
  CHECK(color_at(Theme::dark, ColorMap::weight, 0) == rgb(0x1C2129));
  CHECK(color_at(Theme::dark, ColorMap::weight, 1) == rgb(0xFBF3B0));
  CHECK(color_at(Theme::light, ColorMap::error, 1) == rgb(0x560018));
  CHECK(color_at(Theme::light, ColorMap::score, -3) == rgb(0x0F6E78));
  CHECK(color_at(Theme::dark, ColorMap::score, 7) == rgb(0xE0B483));
  for (const Theme theme : {Theme::dark, Theme::light})
    for (const ColorMap map : {ColorMap::weight, ColorMap::error})
      for (const Matrix3& vision : {kNormal, kProtan, kDeutan, kTritan}) {
        const auto& table = color_table(theme, map);
        const double direction = theme == Theme::dark ? 1 : -1;
        // Eight bits a channel: a step may stand still, or fall back by its rounding.
        for (std::size_t i = 1; i < table.size(); ++i)
          CHECK(direction * (lab(table[i], vision)[0] - lab(table[i - 1], vision)[0]) > -0.3);
        for (std::size_t i = 16; i < table.size(); i += 16)
          CHECK(direction * (lab(table[i], vision)[0] - lab(table[i - 16], vision)[0]) > 0);
      }
  for (const Theme theme : {Theme::dark, Theme::light}) {
    const auto& score = color_table(theme, ColorMap::score);
    for (const Matrix3& vision : {kNormal, kProtan, kDeutan, kTritan}) {
      CHECK(ciede2000(lab(score[0], vision), lab(score[255], vision)) > 25.4);
      CHECK(ciede2000(lab(score[64], vision), lab(score[191], vision)) > 20.6);
    }
  }
}

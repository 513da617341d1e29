#include "viz/theme.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace fdlab {
namespace {

using Palette = std::array<Color, kRoles>;

constexpr Palette kDark{
    rgb(0x101317), rgb(0x161A20), rgb(0x1A1F26), rgb(0x1F242C), rgb(0x0B0D10),  // bg panel card raised sunken
    rgb(0x2A303A), rgb(0x465060),                                               // line line2
    rgb(0xE8EBF0), rgb(0xAEB6C2), rgb(0x8A94A3),                                // text text2 text3
    rgb(0xF6DC4E), rgb(0x14171C), rgb(0xF6DC4E), rgb(0x2D2A17),  // accent accent_ink mark accent_bg
    rgb(0xEE7518), rgb(0x5A98D9), rgb(0x5BEBC8), rgb(0xF0BCFC),  // m l o S
    rgb(0xFF9E93),                                               // bad
};
constexpr Palette kLight{
    rgb(0xECEEF1), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xF4F5F7), rgb(0xE6E8EC),  //
    rgb(0xD5D9DF), rgb(0x99A2AF),                                               //
    rgb(0x14171C), rgb(0x434B57), rgb(0x5E6876),                                //
    rgb(0xFFD84A), rgb(0x14171C), rgb(0x14171C), rgb(0xFFF3C4),                 //
    rgb(0xA35308), rgb(0x0067C4), rgb(0x006A57), rgb(0x74407F),                 //
    rgb(0x8C0022),                                                              //
};

constexpr std::array<Color, kCategories> kCategoricalDark{rgb(0xFAA25B), rgb(0x4B76E0), rgb(0x88E1A3),
                                                          rgb(0xFFC7F5), rgb(0xAE8C00), rgb(0x90A2DD),
                                                          rgb(0x44A396), rgb(0xB95F6C)};
constexpr std::array<Color, kCategories> kCategoricalLight{rgb(0x724800), rgb(0x4A80E8), rgb(0x307A52),
                                                           rgb(0x4C1149), rgb(0xA58106), rgb(0x4D5492),
                                                           rgb(0x003B2F), rgb(0xD4546E)};

constexpr std::array kWeightDark{0x1C2129u, 0x25415Cu, 0x2F6A86u, 0x5E9C9Cu, 0xB5CC9Cu, 0xFBF3B0u};
constexpr std::array kWeightLight{0xF1F3F5u, 0xCFE0E6u, 0x93BFCEu, 0x4F93AEu, 0x22668Cu, 0x0E3557u};
constexpr std::array kScoreDark{0x5FC4C9u, 0x2F6E78u, 0x242A33u, 0x7A5F42u, 0xE0B483u};
constexpr std::array kScoreLight{0x0F6E78u, 0x8CC4C8u, 0xF1F2F3u, 0xDDBE97u, 0x8A5A1Eu};
constexpr std::array kErrorDark{0x1C2129u, 0x4B2231u, 0x93344Au, 0xE0606Fu, 0xFFD0CBu};
constexpr std::array kErrorLight{0xF1F3F5u, 0xF3C9C6u, 0xD97A7Fu, 0xA32A45u, 0x560018u};

struct Triple {
  double a, b, c;
};

double to_linear(std::uint32_t byte) {
  const double v = byte / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
std::uint32_t to_byte(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint32_t>(std::lround(encoded * 255));
}

Triple linear_of(Color c) {
  return {to_linear(c & 0xFF), to_linear(c >> 8 & 0xFF), to_linear(c >> 16 & 0xFF)};
}

// OKLab by Björn Ottosson, https://bottosson.github.io/posts/oklab/: equal steps look equal.
Triple oklab_of(Color color) {
  const auto [r, g, b] = linear_of(color);
  const double long_ = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double medium = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double short_ = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * long_ + 0.7936177850 * medium - 0.0040720468 * short_,
          1.9779984951 * long_ - 2.4285922050 * medium + 0.4505937099 * short_,
          0.0259040371 * long_ + 0.7827717662 * medium - 0.8086757660 * short_};
}

Color color_of_oklab(Triple lab) {
  const auto cube = [](double x) { return x * x * x; };
  const double long_ = cube(lab.a + 0.3963377774 * lab.b + 0.2158037573 * lab.c);
  const double medium = cube(lab.a - 0.1055613458 * lab.b - 0.0638541728 * lab.c);
  const double short_ = cube(lab.a - 0.0894841775 * lab.b - 1.2914855480 * lab.c);
  const std::uint32_t r = to_byte(4.0767416621 * long_ - 3.3077115913 * medium + 0.2309699292 * short_);
  const std::uint32_t g = to_byte(-1.2684380046 * long_ + 2.6097574011 * medium - 0.3413193965 * short_);
  const std::uint32_t b = to_byte(-0.0041960863 * long_ - 0.7034186147 * medium + 1.7076147010 * short_);
  return 0xFF000000u | b << 16 | g << 8 | r;
}

std::array<Color, 256> interpolate(std::span<const std::uint32_t> stops) {
  std::array<Color, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double at = static_cast<double>(i) / 255 * static_cast<double>(stops.size() - 1);
    const std::size_t low = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double t = at - static_cast<double>(low);
    const Triple a = oklab_of(rgb(stops[low])), b = oklab_of(rgb(stops[low + 1]));
    table[i] = color_of_oklab({a.a + t * (b.a - a.a), a.b + t * (b.b - a.b), a.c + t * (b.c - a.c)});
  }
  return table;
}

double luminance(Color c) {
  const auto [r, g, b] = linear_of(c);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

}  // namespace

Color color_of(Theme theme, Role role) {
  return (theme == Theme::dark ? kDark : kLight)[static_cast<std::size_t>(role)];
}

Color categorical(Theme theme, std::int64_t index) {
  const auto& colors = theme == Theme::dark ? kCategoricalDark : kCategoricalLight;
  return colors[static_cast<std::size_t>(index % kCategories)];
}

Color ink_on(Color fill) {
  constexpr Color dark = rgb(0x101317), light = rgb(0xFFFFFF);
  return contrast(dark, fill) >= contrast(light, fill) ? dark : light;
}

const std::array<Color, 256>& color_table(Theme theme, ColorMap map) {
  static const std::array<std::array<Color, 256>, 6> tables{
      interpolate(kWeightDark),  interpolate(kScoreDark),  interpolate(kErrorDark),
      interpolate(kWeightLight), interpolate(kScoreLight), interpolate(kErrorLight)};
  return tables[static_cast<std::size_t>(map) + (theme == Theme::light ? 3 : 0)];
}

Color color_at(Theme theme, ColorMap map, float t) {
  return color_table(theme, map)[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0f, 1.0f) * 255))];
}

double contrast(Color a, Color b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

}  // namespace fdlab

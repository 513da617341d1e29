#include "viz/window_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <map>

namespace fdlab {
namespace {

constexpr int kBadInput = 2;

// "1600x900"
std::optional<WindowSize> size_of(const std::string& text) {
  WindowSize size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, end, size.height);
  if (height.ec != std::errc() || height.ptr != end) return std::nullopt;
  const bool fits = size.width >= 640 && size.height >= 360 && size.width <= 8192 && size.height <= 8192;
  return fits ? std::optional(size) : std::nullopt;
}

CLI::Validator size_check() {
  return CLI::Validator(
      [](std::string& text) {
        return size_of(text) ? std::string()
                             : fmt::format("expected WIDTHxHEIGHT from 640x360 to 8192x8192, found {}", text);
      },
      "WxH");
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  WindowOptions options;
  std::string size;
  CLI::App app("The window of FlashDecoding Lab", "fdlab-window");
  app.add_option("--lesson", options.lesson, "name or number of the lesson");
  app.add_option("--stop", options.stop, "open at this stop, from 1")->check(CLI::PositiveNumber);
  app.add_option("--step", options.step, "open at this step")->check(CLI::NonNegativeNumber);
  app.add_option("--head", options.head, "query head")->check(CLI::NonNegativeNumber);
  app.add_option("--lang", options.language, "en or zh")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Language>{{"en", Language::en}, {"zh", Language::zh}}));
  app.add_option("--theme", options.theme, "dark or light")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Theme>{{"dark", Theme::dark}, {"light", Theme::light}}));
  app.add_option("--ui-scale", options.ui_scale, "size of everything in percent, 75 to 300")
      ->check(CLI::Range(75, 300));
  app.add_option("--size", size, "size of the window in pixels")->check(size_check());
  app.add_flag("--offscreen", options.offscreen, "draw into memory, without a display");
  app.add_option("--screenshot", options.screenshot, "write the last frame to this PNG file");
  app.add_option("--dump", options.dump, "write what the last frame says as JSON, - for standard output");
  app.add_option("--script", options.script, "file of commands, one a line");
  app.add_option("--frames", options.frames, "stop after this many frames")->check(CLI::PositiveNumber);
  app.add_flag("--formulas", options.formulas, "list the window's own formulas for formulas/render.mjs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return {options, 0};
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "fdlab-window: {}\n", error.what());
    return {options, kBadInput};
  }
  if (!size.empty()) options.size = *size_of(size);
  if (options.offscreen && size.empty()) options.size = {1600, 900};
  const char* reduced = std::getenv("FDLAB_REDUCED_MOTION");
  options.reduced_motion = options.offscreen || (reduced && std::string(reduced) == "1");
  return {options, std::nullopt};
}

}  // namespace fdlab

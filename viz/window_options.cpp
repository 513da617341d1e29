#include "viz/window_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
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

ParsedOptions refused(const WindowOptions& options, const std::string& sentence) {
  std::fputs(fmt::format("fdlab-window: {}\n", sentence).c_str(), stderr);
  return {options, kBadInput};
}

/// A whole number of at least `least`.
CLI::Validator at_least(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::int64_t number = 0;
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        if (read.ec == std::errc() && read.ptr == end && number >= least && number <= most)
          return std::string();
        const std::string range = most < std::numeric_limits<std::int64_t>::max()
                                      ? fmt::format("from {} to {}", least, most)
                                      : fmt::format("from {}", least);
        return fmt::format("expected a whole number {}, found {}", range, text);
      },
      "N");
}

/// One of two names, stored as the value that belongs to it.
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const char* name, Enum& value,
                        const std::map<std::string, Enum>& choices, const std::string& description) {
  const auto store = [&value, choices](const std::string& text) { value = choices.at(text); };
  const auto check = [choices, description](std::string& text) {
    return choices.contains(text) ? std::string() : fmt::format("expected {}, found {}", description, text);
  };
  return app.add_option_function<std::string>(name, store, description)->check(CLI::Validator(check, "NAME"));
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("expected a file name, found none") : std::string();
      },
      "FILE");
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  WindowOptions options;
  std::string size;
  CLI::App app("The window of FlashDecoding Lab", "fdlab-window");
  app.add_option("--lesson", options.lesson, "name or number of the lesson");
  app.add_option("--stop", options.stop, "open at this stop, from 1")->check(at_least(1));
  app.add_option("--step", options.step, "open at this step")->check(at_least(0));
  app.add_option("--head", options.head, "query head")->check(at_least(0));
  add_choice<Language>(app, "--lang", options.language, {{"en", Language::en}, {"zh", Language::zh}},
                       "en or zh");
  add_choice<Theme>(app, "--theme", options.theme, {{"dark", Theme::dark}, {"light", Theme::light}},
                    "dark or light");
  app.add_option("--ui-scale", options.ui_scale, "size of everything in percent, 75 to 300")
      ->check(at_least(75, 300));
  app.add_option("--size", size, "size of the window in pixels")->check(size_check());
  app.add_flag("--offscreen", options.offscreen, "draw into memory, without a display");
  app.add_option("--screenshot", options.screenshot, "write the last frame to this PNG file")
      ->check(file_name());
  app.add_option("--dump", options.dump, "write what the last frame says as JSON, - for standard output")
      ->check(file_name());
  app.add_option("--script", options.script, "file of commands, one a line")->check(CLI::ExistingFile);
  app.add_option("--frames", options.frames, "stop after this many frames")->check(at_least(1, 1'000'000));
  app.add_flag("--formulas", options.formulas, "list the window's own formulas for formulas/render.mjs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return {options, 0};
  } catch (const CLI::ParseError& error) {
    return refused(options, error.what());
  }
  if (!options.screenshot.empty() && options.screenshot == options.dump)
    return refused(options, "expected two files for --screenshot and --dump, found one");
  if (!size.empty()) options.size = *size_of(size);
  if (options.offscreen && size.empty()) options.size = {1600, 900};
  const char* reduced = std::getenv("FDLAB_REDUCED_MOTION");
  options.reduced_motion = options.offscreen || (reduced && std::string(reduced) == "1");
  return {options, std::nullopt};
}

}  // namespace fdlab

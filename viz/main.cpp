// fdlab-window: the lessons on a screen, or as pictures without one.
#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/io/staged_file.h"
#include "lessons/formula.h"
#include "viz/picture.h"
#include "viz/views/step_rules.h"
#include "viz/window.h"

namespace fdlab {
namespace {

constexpr int kDone = 0, kBadInput = 2, kNotAvailable = 3;

int refuse(const Fault& fault, int code) {
  std::fputs(fmt::format("fdlab-window: {}\n", fault.sentence).c_str(),
             stderr);  // which may be closed: no throw
  return code;
}

Result<std::unique_ptr<Platform>> open_platform(const WindowOptions& options) {
  if (!options.offscreen) return open_window(options.size, "FlashDecoding Lab");
  auto offscreen = open_offscreen(options.size);
  if (!offscreen) return offscreen.fault();
  return std::unique_ptr<Platform>(std::move(*offscreen));
}

/// The commands of a script, each done and drawn before the next; empty lines and # lines are skipped.
std::optional<Fault> run_script(Window& window, const std::string& file) {
  std::ifstream in(file);
  if (!in) return Fault{fmt::format("{}: expected a file of commands, found none", file)};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const auto command = parse_command(line);
    if (!command)
      return Fault{
          fmt::format("{}, line {}: expected a command such as step.next, found {}", file, number, line)};
    window.give(*command);
    if (auto fault = window.settle()) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> write_text(const std::string& file, const std::string& text) {
  if (file == "-") {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return std::nullopt;
    return Fault{"expected standard output to take what is printed, found it full or closed"};
  }
  auto staged = StagedFile::write(file, {std::as_bytes(std::span(text))});
  return staged ? staged->commit() : staged.fault();
}

std::optional<Fault> show(Platform& platform, Window& window, const WindowOptions& options) {
  const bool stays_open = !options.offscreen && options.frames == 0 && options.screenshot.empty() &&
                          options.dump.empty() && options.script.empty();
  if (!options.script.empty())
    if (auto fault = run_script(window, options.script)) return fault;
  if (auto fault = stays_open || options.frames > 0 ? window.run(options.frames) : window.settle())
    return fault;
  if (!options.screenshot.empty())
    if (auto fault = write_png(options.screenshot, platform.read_pixels())) return fault;
  if (!options.dump.empty()) return write_text(options.dump, to_json(window.dump()));
  return std::nullopt;
}

int list_formulas() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& tex : window_formulas())
    list.push_back({{"tex", tex}, {"display", false}, {"file", svg_name({tex, false})}});
  fmt::print("{}\n", list.dump());
  return kDone;
}

int run(int argc, char** argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  if (parsed.options.formulas) return list_formulas();
  auto platform = open_platform(parsed.options);
  if (!platform) return refuse(platform.fault(), kNotAvailable);
  auto window = Window::open(**platform, parsed.options);
  if (!window) return refuse(window.fault(), kBadInput);
  if (const auto fault = show(**platform, **window, parsed.options)) return refuse(*fault, kBadInput);
  return kDone;
}

}  // namespace
}  // namespace fdlab

int main(int argc, char** argv) { return fdlab::run(argc, argv); }

// A window without a display, opened for a test and driven by hand.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "viz/window.h"

namespace fdlab {

struct Opened {
  std::unique_ptr<OffscreenPlatform> platform;
  std::unique_ptr<Window> window;  // goes first

  explicit operator bool() const { return window != nullptr; }
  void settle() { REQUIRE_FALSE(window->settle().has_value()); }
  void give(const std::string& line) {
    const auto command = parse_command(line);
    REQUIRE_MESSAGE(command.has_value(), line);
    window->give(*command);
    settle();
  }
  void press(int key, bool shift = false) {
    platform->press_key({key, shift, false});
    settle();
  }
  /// Moves the pointer there, presses and lets go.
  void press_at(Vec2 place) {
    platform->move_mouse(place);
    settle();
    platform->hold_mouse(true);
    settle();
    platform->hold_mouse(false);
    settle();
  }
  void click(const std::string& id) { press_at(entry(id).rect.center()); }

  const DumpEntry& entry(const std::string& id) const {
    const DumpEntry* found = window->dump().find(id);
    REQUIRE_MESSAGE(found != nullptr, id);
    return *found;
  }
  std::string value(const std::string& id) const {
    const DumpEntry* found = window->dump().find(id);
    return found ? found->value : "(nothing called " + id + ")";
  }
  std::int64_t num_stops() const { return static_cast<std::int64_t>(window->scene().lesson.stops.size()); }
};

/// Nothing, with the reason, where there is no surfaceless EGL. 1600×900 at 100 % unless the options say otherwise. Still: a
/// step shows its end at once.
inline Opened open_for_test(WindowOptions options, bool is_still = true) {
  options.reduced_motion = is_still;
  if (options.size.width == 0) options.size = {1600, 900};
  if (!options.ui_scale) options.ui_scale = 100;
  auto platform = open_offscreen(options.size);
  if (!platform) {
    MESSAGE("skipped: ", platform.fault().sentence);
    return {};
  }
  auto window = Window::open(**platform, options);
  if (!window) FAIL(window.fault().sentence);
  Opened opened{std::move(*platform), std::move(*window)};
  opened.settle();
  return opened;
}

/// Ids and words of everything that was cut.
inline std::string clipped_texts(const Dump& dump) {
  std::string out;
  for (const DumpEntry& entry : dump.entries)
    if (entry.is_clipped) out += entry.id + " \"" + entry.label + entry.value + "\"; ";
  return out;
}

}  // namespace fdlab

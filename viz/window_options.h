// What fdlab-window can be told on its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lessons/lesson.h"
#include "viz/app_state.h"
#include "viz/platform.h"

namespace fdlab {

struct WindowOptions {
  std::string lesson;                ///< empty: the first
  std::optional<std::int64_t> stop;  ///< from 1
  std::optional<std::int64_t> step, head;
  std::optional<SceneSpec> scene;  ///< instead of the lesson's: another plan, another method
  Language language = Language::en;
  Theme theme = Theme::dark;
  std::optional<int> ui_scale;  ///< percent, instead of what fits the window
  WindowSize size;

  bool offscreen = false;  ///< no display: draw into memory
  std::string screenshot;  ///< PNG of the last frame
  std::string dump;        ///< the last frame's semantic dump as JSON; "-" is standard output
  std::string script;      ///< a file of commands, one a line, done one a frame
  int frames = 0;          ///< stop after so many; 0: offscreen as many as needed, on a screen until closed
  bool formulas = false;   ///< list the window's own formulas for the renderer, as JSON
  bool reduced_motion = false;  ///< always where only a picture is wanted
};

/// The options, or the exit code where the command line was answered (--help) or refused (2).
struct ParsedOptions {
  WindowOptions options;
  std::optional<int> exit_code;
};
ParsedOptions parse_options(int argc, char** argv);

}  // namespace fdlab

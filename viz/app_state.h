// What the window shows, as plain data, and how a command changes it. Nothing here draws, so all of it is
// tested without a window.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lessons/gpu_scene_spec.h"
#include "viz/commands.h"
#include "viz/theme.h"

namespace fdlab {

enum class Overlay : std::uint8_t { none, help, lesson, inspector };
/// Which of the two the left panel shows where the inspector has no panel of its own.
enum class SideTab : std::uint8_t { lesson, inspector };
enum class Landmark : std::uint8_t { max_rises, rescale, merge, turn };

inline constexpr double kMinSpeed = 0.25, kMaxSpeed = 64;

/// A reader's answer to a stop's question.
struct GateAnswer {
  std::optional<double> predicted;  ///< nothing yet, or skipped
  bool is_open = false;             ///< answered or skipped: the stop goes on
};

struct AppState {
  std::string lesson;
  std::int64_t stop = 0, step = 0, head = 0;
  GpuSceneSpec gpu;              ///< what the controls of a GPU scene ask for
  bool shows_recording = false;  ///< board and lanes show what was recorded, where it was
  Language language = Language::en;
  Theme theme = Theme::dark;
  int scale_percent = 100;  ///< the user's, 75 to 300, times the first-start scale
  bool is_playing = false;
  double speed = 1;  ///< times two steps a second; doubled and halved between kMinSpeed and kMaxSpeed
  Overlay overlay = Overlay::none;
  SideTab side_tab = SideTab::lesson;
  bool reduced_motion = false;
  bool wants_quit = false;
  std::map<std::int64_t, GateAnswer> gates;  ///< by stop
  std::map<std::string, float> dividers;  ///< pane width as a fraction of the window, where the user moved it
};

/// What a reducer must know of the lesson and the trace of the present head.
struct Extent {
  std::int64_t last_step = 0;  ///< steps 0 (nothing has happened) … last_step
  std::int64_t num_heads = 1;
  std::vector<std::string> lessons;        ///< names, by number
  std::vector<std::int64_t> stop_steps;    ///< where each stop puts the playhead
  std::vector<std::int64_t> reveal_steps;  ///< where each stop's question is answered; 0: it asks nothing
  std::vector<GpuSceneSpec> stop_gpus;     ///< what each stop shows; empty where the scene is no GPU
  std::int64_t splits = 1;                 ///< of the GPU scene's B
  /// The next step after `step` (direction 1) or before it (−1) at which the landmark happens.
  std::function<std::optional<std::int64_t>(Landmark, std::int64_t step, int direction)> find;
  bool inspector_is_tab = false;  ///< panel commands switch tabs
  bool panels_are_overlays = false;
};

/// The state after the command. Numbers out of range are clamped; a landmark that never comes changes
/// nothing.
AppState apply(AppState state, Command command, const Extent& extent);

/// The state after `seconds` of play; `carry` keeps the part of a step that has passed.
AppState play(AppState state, double seconds, double& carry, const Extent& extent);

}  // namespace fdlab

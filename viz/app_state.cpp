#include "viz/app_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "viz/gpu_controls.h"

namespace fdlab {
namespace {

constexpr std::array kScales{75, 80, 90, 100, 110, 125, 150, 175, 200, 225, 250, 275, 300};
constexpr double kStepsPerSecond = 2;  // at speed 1

void go_to_step(AppState& state, std::int64_t step, const Extent& extent) {
  state.step = std::clamp<std::int64_t>(step, 0, extent.last_step);
  if (state.step == extent.last_step) state.is_playing = false;
}

void show_scene_of_stop(AppState& state, const Extent& extent) {
  if (!extent.stop_gpus.empty()) state.gpu = extent.stop_gpus[static_cast<std::size_t>(state.stop)];
}

void go_to_stop(AppState& state, std::int64_t stop, const Extent& extent) {
  if (extent.stop_steps.empty()) return;
  const std::int64_t last = static_cast<std::int64_t>(extent.stop_steps.size()) - 1;
  state.stop = std::clamp<std::int64_t>(stop, 0, last);
  state.is_playing = false;
  show_scene_of_stop(state, extent);
  // The stop's own place, which may lie beyond the end of what was shown until now.
  state.step = extent.stop_steps[static_cast<std::size_t>(state.stop)];
}

/// Round the list; a lesson opens at its first stop, with every question open again.
void go_to_lesson(AppState& state, int direction, const Extent& extent) {
  const auto count = static_cast<std::ptrdiff_t>(extent.lessons.size());
  if (count < 2) return;
  const auto at =
      std::find(extent.lessons.begin(), extent.lessons.end(), state.lesson) - extent.lessons.begin();
  state.lesson = extent.lessons[static_cast<std::size_t>((at + direction + count) % count)];
  state.stop = state.step = 0;
  state.is_playing = false;
  state.gates.clear();
}

void go_to_landmark(AppState& state, Landmark landmark, int direction, const Extent& extent) {
  if (!extent.find) return;
  if (const auto step = extent.find(landmark, state.step, direction)) {
    state.is_playing = false;
    go_to_step(state, *step, extent);
  }
}

// The neighbour in the list of scales; from between two entries, the next in that direction.
int next_scale(int percent, int direction) {
  if (direction > 0) {
    const auto above = std::upper_bound(kScales.begin(), kScales.end(), percent);
    return above == kScales.end() ? kScales.back() : *above;
  }
  const auto from = std::lower_bound(kScales.begin(), kScales.end(), percent);
  return from == kScales.begin() ? kScales.front() : *(from - 1);
}

void toggle(Overlay& overlay, Overlay which) { overlay = overlay == which ? Overlay::none : which; }

void show_panel(AppState& state, SideTab tab, const Extent& extent) {
  state.side_tab = tab;
  if (extent.panels_are_overlays)
    toggle(state.overlay, tab == SideTab::lesson ? Overlay::lesson : Overlay::inspector);
}

SideTab other(SideTab tab) { return tab == SideTab::lesson ? SideTab::inspector : SideTab::lesson; }

// To the step that shows the answer, never back.
void reveal(AppState& state, const Extent& extent) {
  const auto stop = static_cast<std::size_t>(state.stop);
  if (stop >= extent.reveal_steps.size()) return;
  show_scene_of_stop(state, extent);
  state.step = std::max(state.step, extent.reveal_steps[stop]);
}

// Takes what was typed if it is a number; "−" and "," are read as "-" and ".".
bool check_prediction(GateAnswer& gate, std::string text) {
  if (const std::size_t at = text.find("\u2212"); at != std::string::npos) text.replace(at, 3, "-");
  std::replace(text.begin(), text.end(), ',', '.');
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return false;
  gate.predicted = value;
  gate.is_open = true;
  return true;
}

}  // namespace

AppState apply(AppState state, Command command, const Extent& extent) {
  using enum CommandId;
  switch (command.id) {
    case step_next:
      state.is_playing = false;
      go_to_step(state, state.step + 1, extent);
      break;
    case step_back:
      state.is_playing = false;
      go_to_step(state, state.step - 1, extent);
      break;
    case play_toggle:
      if (!state.is_playing && state.step == extent.last_step) state.step = 0;
      state.is_playing = !state.is_playing;
      break;
    case go_home:
      state.is_playing = false;
      go_to_step(state, 0, extent);
      break;
    case go_end: go_to_step(state, extent.last_step, extent); break;
    case go_step:
      state.is_playing = false;
      go_to_step(state, command.argument, extent);
      break;
    case next_max_rises: go_to_landmark(state, Landmark::max_rises, 1, extent); break;
    case previous_max_rises: go_to_landmark(state, Landmark::max_rises, -1, extent); break;
    case next_rescale: go_to_landmark(state, Landmark::rescale, 1, extent); break;
    case previous_rescale: go_to_landmark(state, Landmark::rescale, -1, extent); break;
    case next_merge: go_to_landmark(state, Landmark::merge, 1, extent); break;
    case previous_merge: go_to_landmark(state, Landmark::merge, -1, extent); break;
    case next_turn: go_to_landmark(state, Landmark::turn, 1, extent); break;
    case previous_turn: go_to_landmark(state, Landmark::turn, -1, extent); break;
    case recording_toggle: state.shows_recording = !state.shows_recording; break;
    case scene_reset: show_scene_of_stop(state, extent); break;
    case speed_up: state.speed = std::min(state.speed * 2, kMaxSpeed); break;
    case speed_down: state.speed = std::max(state.speed / 2, kMinSpeed); break;
    case stop_next: go_to_stop(state, state.stop + 1, extent); break;
    case stop_back: go_to_stop(state, state.stop - 1, extent); break;
    case go_stop: go_to_stop(state, command.argument, extent); break;
    case lesson_next: go_to_lesson(state, 1, extent); break;
    case lesson_back: go_to_lesson(state, -1, extent); break;
    case head_next: state.head = (state.head + 1) % extent.num_heads; break;
    case head_back: state.head = (state.head + extent.num_heads - 1) % extent.num_heads; break;
    case go_head: state.head = std::clamp<std::int64_t>(command.argument, 0, extent.num_heads - 1); break;
    case panel_lesson: show_panel(state, SideTab::lesson, extent); break;
    case panel_inspector: show_panel(state, SideTab::inspector, extent); break;
    case panel_switch: show_panel(state, other(state.side_tab), extent); break;
    case language_toggle:
      state.language = state.language == Language::en ? Language::zh : Language::en;
      break;
    case theme_toggle: state.theme = state.theme == Theme::dark ? Theme::light : Theme::dark; break;
    case scale_up: state.scale_percent = next_scale(state.scale_percent, 1); break;
    case scale_down: state.scale_percent = next_scale(state.scale_percent, -1); break;
    case scale_reset: state.scale_percent = 100; break;
    case set_scale:
      state.scale_percent =
          static_cast<int>(std::clamp<std::int64_t>(command.argument, kScales.front(), kScales.back()));
      break;
    case motion_toggle: state.reduced_motion = !state.reduced_motion; break;
    case help_toggle: toggle(state.overlay, Overlay::help); break;
    case close: state.overlay = Overlay::none; break;
    case gate_skip:
      state.gates[state.stop].is_open = true;
      reveal(state, extent);
      break;
    case quit: state.wants_quit = true; break;
    case gate_check:
      if (check_prediction(state.gates[state.stop], command.text)) reveal(state, extent);
      break;
    case focus_next:
    case focus_back:
    case focus_press: break;  // the frame's own
    default:
      if (auto gpu = apply_control(state.gpu, command, extent.splits)) state.gpu = std::move(*gpu);
  }
  return state;
}

AppState play(AppState state, double seconds, double& carry, const Extent& extent) {
  if (!state.is_playing) {
    carry = 0;
    return state;
  }
  carry += seconds * state.speed * kStepsPerSecond;
  const double whole = std::floor(carry);
  carry -= whole;
  go_to_step(state, state.step + static_cast<std::int64_t>(whole), extent);
  return state;
}

}  // namespace fdlab

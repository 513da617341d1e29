// The window as a whole: the open lesson, the state, the fonts, and the loop from input to picture.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "viz/formula.h"
#include "viz/platform.h"
#include "viz/scene.h"
#include "viz/ui.h"
#include "viz/window_options.h"

namespace fdlab {

class Window {
 public:
  /// Opens the lesson on this platform, which must outlive the window.
  static Result<std::unique_ptr<Window>> open(Platform& platform, const WindowOptions& options);

  /// Takes the input, draws one frame and applies what came of it.
  std::optional<Fault> draw_frame();
  /// Draws until nothing moves any more: the commands' effects are on the screen. At most 60 frames.
  std::optional<Fault> settle();
  /// Until it is closed; sleeps while nothing happens.
  std::optional<Fault> run(int frames);

  /// As a key or a button would.
  void give(Command command);

  const AppState& state() const { return state_; }
  const Scene& scene() const { return *scene_; }
  const Dump& dump() const { return dump_; }
  const Ui& ui() const { return ui_; }
  /// CPU time of the last frame from input to draw list, and with the drawing.
  double build_ms() const { return build_ms_; }
  double frame_ms() const { return frame_ms_; }

 private:
  explicit Window(Platform& platform) : platform_(platform) {}

  std::optional<Fault> open_lesson(const std::string& name, const WindowOptions& options);
  std::optional<Fault> go_to_place(const WindowOptions& options);
  void load_lesson_text();
  std::optional<Fault> follow_state();  ///< the scene is what the state asks for
  std::optional<Fault> follow_head();
  std::optional<Fault> follow_controls();
  std::optional<Fault> fit_fonts();
  bool learn_missing();
  Extent extent() const;
  void take_keys();
  void play_on();
  void start_motion(std::int64_t from_step, bool by_play);
  void render();
  bool is_waiting() const { return !ui_.wants_redraw && !state_.is_playing && frames_left_ == 0; }

  Platform& platform_;
  std::optional<Scene> scene_;
  FormulaBook formulas_;
  AppState state_;
  Ui ui_;
  Dump dump_;

  std::filesystem::path lessons_folder_, fonts_folder_;
  std::vector<std::string> lessons_;  // names, by number
  std::string text_, titles_;         // characters to bake
  std::u32string missing_;            // drawn in the last frame, not baked
  std::set<char32_t> known_;          // asked for once: baked, or in no font
  float first_scale_ = 1;             // what fits the window
  bool has_fonts_ = false, fonts_are_stale_ = false;
  double carry_ = 0;  // part of a step that play has passed
  double last_time_s_ = 0;
  bool starts_motion_ = false;  // with the next frame
  int frames_left_ = 2;         // to draw even if nothing moves
  double build_ms_ = 0, frame_ms_ = 0;
};

}  // namespace fdlab

// What every view is given each frame: sizes in font units, colours by role, the language, the pointer, and
// where to write down what it drew. A view reads its data, draws through draw.h and sends commands; it keeps
// no state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/app_state.h"
#include "viz/dump.h"
#include "viz/rect.h"
#include "viz/strings.h"
#include "viz/theme.h"

struct ImDrawList;
struct ImFont;

namespace fdlab {

class FormulaBook;

/// The four sizes of type: S axes, chips and hints; M prose, tables, values; L one title a screen; XL the
/// hero number.
enum class FontSize : std::uint8_t { S, M, L, XL };

struct Font {
  FontSize size = FontSize::M;
  bool bold = false;  ///< S has no bold
  bool mono = false;  ///< code, hex and bits only; size M
};

/// The pointer in pixels. A press belongs to the control it began on.
struct Mouse {
  Vec2 position{-1, -1};
  bool is_down = false, was_pressed = false, was_released = false;
  Vec2 press_position{-1, -1};
  float wheel = 0;  ///< lines, up positive
  bool has_shift = false;
};

struct Ui {
  // Look
  Theme theme = Theme::dark;
  Language language = Language::en;
  Strings tr;
  float F = 22;     ///< height of an M line box in pixels; every size is a multiple of it
  float u = 6;      ///< round(F / 4): the spacing unit
  float scale = 1;  ///< F / 22: pixel sizes of the specification times this
  bool reduced_motion = false;
  Rect window;  ///< everything

  /// `px` of the specification at 100 %, rounded to whole pixels here, at least 1.
  float px(float at_100_percent) const;
  Color color(Role role) const { return color_of(theme, role); }

  // Input
  Mouse mouse;
  std::string focus;       ///< id of the control with the keyboard
  std::string hover_link;  ///< id of the term under the pointer in the last frame; every view outlines it
  double time_s = 0, dt_s = 0;

  // Motion
  double step_age_s = 1e9;       ///< since the step was walked to; long ago after a jump
  bool step_was_played = false;  ///< by play, not by hand
  /// From 0 to 1 over so many seconds since the step; frames are asked for until then. Reduced motion: 1 at once.
  float passed(double seconds);
  /// A tint that fades in as the step comes.
  Color tint(Role role) { return faded(color(role), passed(0.12)); }

  // Output
  ImDrawList* draw = nullptr;
  const FormulaBook* formulas = nullptr;
  Dump* dump = nullptr;           ///< null: nobody reads it
  std::vector<Command> commands;  ///< applied after the frame
  struct Ground {
    Rect rect;
    Color color;
  };
  std::vector<Ground>
      grounds;  ///< plain areas below everything: cleared before the draw list, which is cheaper
  bool wants_redraw = false;  ///< an animation runs: draw again soon

  void send(CommandId id, std::int64_t argument = 0) { commands.push_back({id, argument}); }
  /// Ask for another frame; without it none is drawn until something happens.
  void request_redraw() { wants_redraw = true; }
  /// Links the term under the pointer ("m-a", "tile-8"): outlined everywhere from the next frame on.
  void link(std::string_view id);
  bool is_linked(std::string_view id) const { return !id.empty() && hover_link == id; }

  /// Around a frame: takes input from ImGui and opens the draw list; hands on links and shows the tooltip.
  void begin_frame();
  void end_frame();
  /// Moves the keyboard to the next (1) or previous (−1) control.
  void move_focus(int direction);
  /// What ← and → mean to the control with the keyboard; nothing where they keep their own meaning.
  std::optional<Command> command_of_arrow(KeyPress key) const;

  struct Scroll {
    float offset = 0, most = 0;  ///< pixels the content has moved up; how far it can
  };

  // Kept from frame to frame by draw.h; views leave it alone.
  struct Internals {
    ImFont* fonts[4][2] = {};  ///< [size][bold]
    ImFont* mono = nullptr;
    std::u32string* missing =
        nullptr;                   ///< characters that were drawn and are not baked; the window bakes them
    std::vector<Rect> clips;       ///< what is drawn ends here
    std::vector<Rect> text_clips;  ///< text cut off here is lost; higher where a scroll bar brings it back
    std::vector<std::string> focus_order, last_focus_order;
    std::string pressed_id, next_hover_link, tooltip;
    Rect tooltip_at;
    Rect overlay;  ///< an overlay lies here: what is below gets no pointer
    bool is_in_overlay = false;
    bool presses_focus = false;  ///< the key that presses the focused control went down
    bool focus_moved = false;    ///< by key in this frame: a scroll area brings it into view
    struct Arrows {
      std::string control;
      CommandId left, right;
    };
    std::optional<Arrows> arrows;  ///< of the control that had the keyboard in the last frame
    std::map<std::string, Scroll> scrolls;
    struct Scrolling {
      Scroll* scroll;
      Rect view;
    };
    std::vector<Scrolling> scrolling;          ///< areas being drawn now, the innermost last
    std::map<std::string, std::string> texts;  ///< of text fields
    std::string entering;                      ///< the text field that gets the caret
  } internals;
};

}  // namespace fdlab

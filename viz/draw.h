// Drawing in the house style: text that never loses its end in silence, flat fills, 1-px lines, marks drawn
// as paths, and the few controls. All positions in pixels; baselines and edges snap to whole pixels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "viz/ui.h"

namespace fdlab {

enum class Align : std::uint8_t { left, center, right };

// ---- Text
// ------------------------------------------------------------------------------------------------------------

struct TextStyle {
  Font font{};
  Role role = Role::text;
  std::optional<Color> color{};  ///< instead of the role, for text on a data fill
  Align align = Align::left;
  std::string_view id{};     ///< entered in the dump under this id
  std::string_view label{};  ///< what the value is, for the dump
};

float em(const Ui& ui, Font font);           ///< pixels of 1 em (the line box is 1.448 of it)
float line_height(const Ui& ui, Font font);  ///< S 1.5, M 1.6 (Chinese 1.75), L 1.2, XL 1.1 em
float text_width(const Ui& ui, Font font, std::string_view text);
/// Where the baseline lies in a line of `height` from its top: text is centred by cap height.
float baseline_in(const Ui& ui, Font font, float height);

/// Text with its baseline at y; x is the left end, the middle or the right end. Returns its width.
float text_at(Ui& ui, Vec2 baseline, std::string_view text, TextStyle style = {});
/// One line in a box, centred vertically. Too long: ends in "…", the whole is the tooltip, and the dump says
/// clipped.
void text_in(Ui& ui, Rect box, std::string_view text, TextStyle style = {});
/// Several lines broken at words (or hanzi) within the width; returns the height. For short UI sentences;
/// prose is markdown.h.
float text_wrapped(Ui& ui, Rect box, std::string_view text, TextStyle style = {});
float text_wrapped_height(const Ui& ui, float width, std::string_view text, Font font);

// ---- Numbers
// ---------------------------------------------------------------------------------------------------------

/// fixed_text (lessons/number_text.h) right-aligned in a box; digits are tabular, so columns line up. NaN and +∞ as an
/// inverse box in `bad`.
void number_in(Ui& ui, Rect box, double value, int decimals, TextStyle style = {});

// ---- Shapes
// ----------------------------------------------------------------------------------------------------------

void fill(Ui& ui, Rect r, Color color, float corner = 0);
void outline(Ui& ui, Rect r, Color color, float width = 1, float corner = 0);  ///< inside the rectangle
void dashed_outline(Ui& ui, Rect r, Color color);
void line(Ui& ui, Vec2 a, Vec2 b, Color color, float width = 1);  ///< crisp when horizontal or vertical
void dashed_line(Ui& ui, Vec2 a, Vec2 b, Color color, float width = 1);
void polyline(Ui& ui, std::span<const Vec2> points, Color color, float width = 1);
void hatch(Ui& ui, Rect r, Color color);         ///< 45° lines: NaN, category from 8 on
void stripes(Ui& ui, Rect r, Color a, Color b);  ///< the band of a planted bug
void circle(Ui& ui, Vec2 center, float radius, Color color);
void ring(Ui& ui, Vec2 center, float radius, Color color, float width);
/// A horizontal colour bar of a map.
void color_bar(Ui& ui, Rect r, ColorMap map);

enum class Icon : std::uint8_t {
  play,
  pause,
  step_back,
  step_next,
  home,
  end,
  max_rises,  ///< ▲
  rescale,    ///< ◇
  merge,      ///< ●
  cross,
  check,
  chevron_left,
  chevron_right,
  plus,
  minus,
};
/// An icon of side `size` around `center`.
void icon(Ui& ui, Icon which, Vec2 center, float size, Color color);

// ---- Clipping and scrolling
// ------------------------------------------------------------------------------------------

/// While it lives, drawing, pointer and the dump's "clipped" end at the rectangle.
class Clip {
 public:
  Clip(Ui& ui, Rect r);
  ~Clip();
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

 private:
  Ui& ui_;
};

/// A column that scrolls when its content is higher than the view; thin bar at the right. Text that can be scrolled into
/// sight does not count as clipped.
class ScrollArea {
 public:
  ScrollArea(Ui& ui, std::string_view id, Rect view);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;
  /// Where the content starts now; it may be drawn below the view.
  Vec2 origin() const { return {view_.x0, view_.y0 - offset_}; }
  /// To be called once the content's height is known.
  void end(float content_height);

 private:
  Ui& ui_;
  std::string id_;
  Rect view_;
  float offset_;
  Clip clip_;
};

// ---- Controls
// --------------------------------------------------------------------------------------------------------

/// The pointer is over this part of what is drawn now, and nothing covers it.
bool is_pointed_at(const Ui& ui, Rect r);

struct Hit {
  bool is_hovered = false, is_held = false, was_clicked = false, has_focus = false;
};
/// A place that can be pointed at, clicked and (if `takes_focus`) reached by keyboard; the focus outline is
/// drawn here. Entered in the dump under its id.
Hit hit_area(Ui& ui, std::string_view id, Rect r, bool takes_focus = true);
/// While the control has the keyboard, ← and → send these instead of walking the steps.
void take_arrows(Ui& ui, std::string_view id, CommandId left, CommandId right);

struct ButtonStyle {
  std::string_view label{};  ///< drawn; empty with an icon alone
  std::optional<Icon> icon{};
  std::optional<Role> icon_role{};     ///< colour of the icon where it is not the ink
  bool is_accent = false;              ///< the one that matters now
  bool is_on = false;                  ///< pressed in: a chosen option
  bool is_plain = false;               ///< text without a box until hovered
  std::string_view disabled_reason{};  ///< not empty: disabled, and this is the tooltip
  Font font{};
};
/// True when it was pressed. Height should be ≥ 1.45 F; a smaller box still takes the pointer within 1.45 F.
bool button(Ui& ui, std::string_view id, Rect r, const ButtonStyle& style);
/// A button that sends the command, with its key in the tooltip.
void command_button(Ui& ui, Rect r, CommandId command, ButtonStyle style, std::int64_t argument = 0);
float button_width(const Ui& ui, const ButtonStyle& style);
float button_height(const Ui& ui);

/// A small labelled box: units "ln", data names. Returns its width; `x` is its left (or right) end.
float chip(Ui& ui, Vec2 left_center, std::string_view text, std::string_view id = {},
           Align align = Align::left);
float chip_width(const Ui& ui, std::string_view text);

struct TextField {
  std::string text;          ///< what stands in it now
  bool was_entered = false;  ///< Enter was pressed in it
  bool is_active = false;    ///< being typed in
};
/// A one-line text field. It shows `value` while nobody types in it (and keeps what was typed if there is no value).
TextField text_field(Ui& ui, std::string_view id, Rect r, std::optional<std::string_view> value = {},
                     std::string_view hint = {});
/// Puts the caret into the field, its text selected.
void enter_text_field(Ui& ui, std::string_view id);

void tooltip(Ui& ui, Rect near, std::string_view text);

}  // namespace fdlab

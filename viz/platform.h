// The one seam between the window and the machine: a window by GLFW, or a picture in memory by EGL for tests,
// screenshots and machines without a display. Both own the GL context, feed ImGui's input and show the frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "viz/commands.h"
#include "viz/picture.h"
#include "viz/rect.h"

namespace fdlab {

class Platform {
 public:
  virtual ~Platform() = default;

  virtual Vec2 size() const = 0;  ///< of the framebuffer, in pixels
  virtual bool is_closed() const = 0;
  virtual double time_s() const = 0;  ///< that passes; offscreen a frame is 1/60 s
  /// Sleeps until something happens or `seconds` have passed; negative: as long as it takes.
  virtual void wait(double seconds) = 0;
  /// Fills ImGui's input for the next frame.
  virtual void begin_frame() = 0;
  /// Shows what was drawn.
  virtual void end_frame() = 0;
  /// Keys pressed or repeating since the last call.
  virtual std::vector<KeyPress> take_keys() = 0;

  /// What was last drawn.
  Picture read_pixels() const;
};

/// The offscreen platform is driven by hand.
class OffscreenPlatform : public Platform {
 public:
  virtual void press_key(KeyPress key) = 0;
  virtual void type_text(const std::string& text) = 0;
  virtual void move_mouse(Vec2 position) = 0;
  virtual void hold_mouse(bool is_down) = 0;
  virtual void hold_shift(bool is_down) = 0;
  virtual void turn_wheel(float lines) = 0;
  virtual void resize(int width, int height) = 0;
};

struct WindowSize {
  int width = 0, height = 0;  ///< 0: as large as the screen allows, 1600×900 at most at 100 %
};

/// A window on the screen, or the reason why there is none.
Result<std::unique_ptr<Platform>> open_window(WindowSize size, const std::string& title);
/// A framebuffer without a display, or the reason why there is none.
Result<std::unique_ptr<OffscreenPlatform>> open_offscreen(WindowSize size);

}  // namespace fdlab

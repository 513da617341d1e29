// The transport: sentence above, one line of buttons, step field, speed, track and jumps below; what is narrow gives up
// words before controls.
#pragma once

#include "viz/rect.h"

namespace fdlab {

struct TransportRequest {
  Rect area;
  float F = 22;
  // Widths of the words, in pixels.
  float field = 90, speed = 46;
  float next_label = 30;
  float jumps[3] = {90, 80, 70};  ///< buttons with icon and word
};

struct TransportLayout {
  Rect sentence;  ///< empty when there is one line only
  Rect home, back, play, next, end, field, speed;
  Rect track;       ///< whole height of the line of controls
  Rect next_label;  ///< empty: given up
  Rect jumps[3];
  bool jumps_have_words = true;
  bool has_track_words = true;  ///< room below the bar for the names of its segments
};

TransportLayout layout_transport(const TransportRequest& request);

}  // namespace fdlab

// What the transports of all scenes share: the buttons, the step field, the speed, and the playhead on its track.
#pragma once

#include <string>

#include "viz/layout/transport.h"
#include "viz/ui.h"

namespace fdlab {

struct TransportControls {
  std::int64_t last_step = 0;
  std::string total;  ///< "/ 368", behind the step in its field
  std::string speed;  ///< on the button that turns it
};

/// Home, back, play, next, end; the step, to be typed; the speed, doubled by a press, from the highest back to the lowest.
void draw_transport_controls(Ui& ui, const AppState& state, const TransportLayout& layout,
                             const TransportControls& controls);

/// The dot at the present step.
void draw_playhead(Ui& ui, const AppState& state, Vec2 center);

}  // namespace fdlab

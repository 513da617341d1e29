// Where the parts of the frame go: a pure function of the window's size and the font. visual specification,
// section 3.
#pragma once

#include <map>
#include <string>

#include "viz/rect.h"

namespace fdlab {

struct ZoneRequest {
  float width = 0, height = 0;  ///< pixels
  float F = 22;
  std::map<std::string, float> dividers;  ///< "lesson", "inspector": fraction of the width, where moved
};

struct Zones {
  Rect top_bar, lesson, stage, inspector, transport;
  bool inspector_is_tab = false;     ///< lesson and inspector share one rectangle
  bool panels_are_overlays = false;  ///< lesson and inspector lie over the stage when they are open
  bool scrolls_as_one = false;       ///< short window: stage and panels scroll, the transport is one line
  float full_height = 0;  ///< what stage and panels are laid out for; more than they have when they scroll
};

Zones layout_zones(const ZoneRequest& request);

}  // namespace fdlab

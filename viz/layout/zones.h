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
  bool stage_scrolls = false;  ///< short window: the stage is higher than its zone, the transport one line
  float stage_height = 0;      ///< what the stage is laid out for
};

Zones layout_zones(const ZoneRequest& request);

}  // namespace fdlab

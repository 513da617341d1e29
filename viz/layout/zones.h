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
  Rect top_bar, lesson, stage, inspector, transport;  ///< empty where it has no place of its own
  bool inspector_is_tab = false;                      ///< the inspector shares the lesson's panel
  bool panels_are_overlays = false;                   ///< lesson and inspector open over the stage
  bool scrolls_as_one = false;  ///< short window: stage and panels scroll, the transport is one line
  float stage_height = 0;  ///< height the stage is laid out for; more than stage.height() when it scrolls
};

Zones layout_zones(const ZoneRequest& request);

}  // namespace fdlab

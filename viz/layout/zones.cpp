#include "viz/layout/zones.h"

namespace fdlab {
namespace {

constexpr float kTopBar = 2, kTransport = 4.2f, kTransportLine = 2;
constexpr float kLesson = 18.4f, kLessonNarrow = 16, kInspector = 14.5f;
// Window widths at which the layout changes, in F: 1400, 1152 and 900 pixels at 100 %.
constexpr float kThreePanels = 1400 / 22.0f, kWideLesson = 1152 / 22.0f, kPanels = 900 / 22.0f;
// Least height with everything in place: 720 pixels at 100 %.
constexpr float kFullHeight = 720 / 22.0f;

float panel_width(const ZoneRequest& request, const char* name, float in_F) {
  const auto moved = request.dividers.find(name);
  const float width = moved == request.dividers.end() ? in_F * request.F : moved->second * request.width;
  return std::round(std::clamp(width, 10 * request.F, std::max(10 * request.F, 0.4f * request.width)));
}

}  // namespace

Zones layout_zones(const ZoneRequest& request) {
  const float F = request.F, width_F = request.width / F;
  Zones zones;
  zones.panels_are_overlays = width_F < kPanels - 0.01f;
  zones.inspector_is_tab = !zones.panels_are_overlays && width_F < kThreePanels - 0.01f;
  zones.stage_scrolls = request.height / F < kFullHeight - 0.01f;

  Cutter cut{{0, 0, request.width, request.height}};
  zones.top_bar = cut.top(std::round(kTopBar * F));
  zones.transport = cut.bottom(std::round((zones.stage_scrolls ? kTransportLine : kTransport) * F));
  zones.stage_height =
      zones.stage_scrolls ? std::round((kFullHeight - kTopBar - kTransport) * F) : cut.rest.height();
  if (zones.panels_are_overlays) {
    const float width = std::min(kLessonNarrow * F, request.width);
    zones.lesson = cut.rest.left(width);
    zones.inspector = cut.rest.right(width);
    zones.stage = cut.rest;
    return zones;
  }
  zones.lesson =
      cut.left(panel_width(request, "lesson", width_F < kWideLesson - 0.01f ? kLessonNarrow : kLesson));
  zones.inspector =
      zones.inspector_is_tab ? zones.lesson : cut.right(panel_width(request, "inspector", kInspector));
  zones.stage = cut.rest;
  return zones;
}

}  // namespace fdlab

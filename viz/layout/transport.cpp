#include "viz/layout/transport.h"

#include "viz/layout/columns.h"

namespace fdlab {
namespace {

constexpr float kOneLine = 3;         // below this height, in F, the sentence goes
constexpr float kSmallestTrack = 11;  // in F; with less the jumps lose their words
constexpr float kWide = 40;           // in F; narrower: smaller margins and buttons

}  // namespace

TransportLayout layout_transport(const TransportRequest& request) {
  const float F = request.F;
  const auto px = [&](float at_100_percent) { return scaled_px(F, at_100_percent); };
  const float u = spacing_unit(F), height = std::round(1.45f * F);
  TransportLayout layout;
  layout.has_track_words = request.area.height() >= kOneLine * F;
  const bool is_tight = request.area.width() < kWide * F;
  const float margin = is_tight ? 2 * u : px(20), button = px(is_tight ? 32 : 36);

  Cutter rows{request.area.shrunk(margin, 0)};
  if (layout.has_track_words) {
    rows.top(px(8));
    layout.sentence = rows.top(px(28));
    rows.top(px(4));
  } else {
    rows.top(std::floor((request.area.height() - height) / 2));
  }
  const Rect line = rows.top(height);

  Cutter cut{line};
  const auto put = [&](float width, float gap) {
    const Rect r = cut.left(width);
    cut.left(gap);
    return r;
  };
  layout.home = put(button, u);
  layout.back = put(button, u);
  layout.play = put(px(is_tight ? 36 : 44), u);
  layout.next = put(button, u);
  layout.end = put(button, is_tight ? u : 2 * u);
  layout.field = put(request.field, u);
  layout.speed = put(request.speed, is_tight ? u : 3 * u);

  // Jumps at the right end: with words, or as icons only.
  const float words = request.jumps[0] + request.jumps[1] + request.jumps[2] + 2 * u;
  const float label = request.next_label + 2 * u;
  layout.jumps_have_words = cut.rest.width() - words - 3 * u >= kSmallestTrack * F;
  const bool has_label =
      layout.jumps_have_words && cut.rest.width() - words - label - 3 * u >= kSmallestTrack * F;
  for (int i = 2; i >= 0; --i) {
    layout.jumps[i] = cut.right(layout.jumps_have_words ? request.jumps[i] : button);
    cut.right(u);
  }
  if (has_label) {
    cut.right(u);
    layout.next_label = cut.right(request.next_label);
  }
  cut.right(is_tight ? 0 : 2 * u);
  layout.track = cut.rest;
  return layout;
}

}  // namespace fdlab

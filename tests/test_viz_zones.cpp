#include <doctest/doctest.h>

#include "viz/layout/zones.h"

using namespace fdlab;

TEST_CASE("the reference window") {
  const Zones z = layout_zones({1600, 900, 22, {}});
  CHECK(z.top_bar.height() == 44);
  CHECK(z.transport.height() == 92);
  CHECK(z.lesson.width() == doctest::Approx(404).epsilon(0.003));
  CHECK(z.inspector.width() == doctest::Approx(320).epsilon(0.005));
  CHECK(z.stage.width() == doctest::Approx(876).epsilon(0.003));
  CHECK(z.stage.x0 == z.lesson.x1);
  CHECK(z.stage.x1 == z.inspector.x0);
  CHECK_FALSE(z.inspector_is_tab);
  CHECK_FALSE(z.stage_scrolls);
}

TEST_CASE("less width: the inspector becomes a tab, the lesson narrower, then both lie over the stage") {
  const Zones tab = layout_zones({1280, 720, 22, {}});
  CHECK(tab.inspector_is_tab);
  CHECK(tab.lesson == tab.inspector);
  CHECK(tab.stage.width() == doctest::Approx(876).epsilon(0.003));
  CHECK_FALSE(tab.stage_scrolls);
  const Zones narrow = layout_zones({1024, 768, 22, {}});
  CHECK(narrow.lesson.width() == 352);
  CHECK(narrow.stage.width() == 672);
  const Zones overlays = layout_zones({899, 768, 22, {}});
  CHECK(overlays.panels_are_overlays);
  CHECK(overlays.stage.width() == 899);
}

TEST_CASE("twice the pixels at twice the scale is the same picture") {
  for (const auto& [w, h] : {std::pair{1280.0f, 720.0f},
                             {1600.0f, 900.0f},
                             {1024.0f, 768.0f},
                             {800.0f, 600.0f},
                             {640.0f, 360.0f}}) {
    const Zones one = layout_zones({w, h, 22, {}}), two = layout_zones({2 * w, 2 * h, 44, {}});
    CHECK(one.inspector_is_tab == two.inspector_is_tab);
    CHECK(one.panels_are_overlays == two.panels_are_overlays);
    CHECK(one.stage_scrolls == two.stage_scrolls);
    CHECK(two.lesson.width() == doctest::Approx(2 * one.lesson.width()).epsilon(0.005));
    CHECK(two.transport.height() == doctest::Approx(2 * one.transport.height()).epsilon(0.01));
  }
}

TEST_CASE("in a short window the stage scrolls; there is one line of transport") {
  const Zones z = layout_zones({640, 360, 22, {}});
  CHECK(z.stage_scrolls);
  CHECK(z.transport.height() == 44);
  CHECK(z.stage_height > z.stage.height());
  CHECK(z.top_bar.y1 + z.stage.height() == z.transport.y0);
}

TEST_CASE("dividers move panes, within reason") {
  const Zones z = layout_zones({1600, 900, 22, {{"lesson", 0.35f}, {"inspector", 0.01f}}});
  CHECK(z.lesson.width() == 560);
  CHECK(z.inspector.width() == 220);
  CHECK(layout_zones({1600, 900, 22, {{"lesson", 0.9f}}}).stage.width() > 500);
}

TEST_CASE("zones cover the window and do not overlap, at any size") {
  for (float w = 320; w < 4000; w += 97)
    for (float h = 240; h < 2400; h += 113)
      for (const float F : {16.5f, 22.0f, 44.0f, 66.0f}) {
        const Zones z = layout_zones({w, h, F, {}});
        CAPTURE(w);
        CAPTURE(h);
        CAPTURE(F);
        CHECK_FALSE(z.top_bar.overlaps(z.stage));
        CHECK_FALSE(z.transport.overlaps(z.stage));
        if (!z.panels_are_overlays) {
          CHECK_FALSE(z.lesson.overlaps(z.stage));
          CHECK_FALSE(z.inspector.overlaps(z.stage));
          CHECK(z.lesson.width() + z.stage.width() + (z.inspector_is_tab ? 0 : z.inspector.width()) == w);
        }
      }
}

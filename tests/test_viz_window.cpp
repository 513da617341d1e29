// The window without a display: what it says, in both languages, at every stop; that it says the same however a step is
// reached; that every control answers.
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "tests/opened_window.h"

using namespace fdlab;

namespace {

Opened open(const WindowOptions& options, bool is_still = true) { return open_for_test(options, is_still); }

WindowOptions sized(int width, int height, int scale = 100) {
  WindowOptions options;
  options.size = {width, height};
  options.ui_scale = scale;
  return options;
}

std::set<std::string> ids_of(const Dump& dump) {
  std::set<std::string> ids;
  for (const DumpEntry& entry : dump.entries) ids.insert(entry.id);
  return ids;
}

}  // namespace

TEST_CASE("no label is clipped, at any stop, in either language") {
  for (const WindowOptions& options :
       {sized(1280, 720), sized(1600, 900), sized(1920, 1080), sized(2560, 1440, 200)}) {
    Opened opened = open(options);
    if (!opened) return;
    CHECK(opened.window->dump().entries.size() > 100);
    for (const char* language : {"en", "zh"}) {
      for (std::int64_t stop = 0; stop < opened.num_stops(); ++stop) {
        opened.give("go.stop " + std::to_string(stop));
        CAPTURE(language);
        CAPTURE(stop);
        CAPTURE(options.size.width);
        CHECK(clipped_texts(opened.window->dump()) == "");
      }
      opened.give("lang.toggle");
    }
  }
}

// Computed with numpy in float64 from the data files alone: scores q·k/√8 of head 6, then m, l, S and o of each range.
TEST_CASE("values beside their labels are those of an outside computation") {
  struct Row {
    std::int64_t step;
    const char *id, *label, *value;
  };
  constexpr std::array rows{
      Row{362, "card.8.m", "m", "9.614"},
      Row{362, "card.8.l", "l", "1.792"},
      Row{362, "card.9.m", "m", "9.905"},
      Row{362, "card.9.l", "l", "1.052"},
      Row{362, "card.5.S", "S", "9.704"},
      Row{362, "card.0.m", "m", "5.374"},
      Row{362, "node-15.S", "S", "10.777"},
      Row{362, "inspector.result.o.2", "o", "1.2397"},
      Row{362, "inspector.a.o.5", "o", "−0.2532"},
      Row{362, "inspector.b.l", "l", "1.0523"},
      Row{362, "rule.w-a", "w-a", "0.5601"},
      Row{367, "node-20.S", "S", "11.607"},
      Row{367, "inspector.result.l", "l", "5.4870"},
      Row{367, "inspector.result.o.7", "o", "−0.0069"},
  };
  Opened opened = open({});
  if (!opened) return;
  for (const Row& row : rows) {
    opened.give("go.step " + std::to_string(row.step));
    CAPTURE(row.id);
    const DumpEntry* entry = opened.window->dump().find(row.id);
    REQUIRE(entry != nullptr);
    CHECK(entry->label == row.label);
    CHECK(entry->value == row.value);
  }
}

TEST_CASE("a step says the same whether it is walked to, jumped to or come back to") {
  Opened opened = open({});
  if (!opened) return;
  for (const std::int64_t step : {1, 33, 34, 200, 359, 362}) {
    const std::string go = "go.step " + std::to_string(step);
    opened.give("go.home");
    opened.give(go);
    const std::string jumped = to_json(opened.window->dump());
    opened.give("go.step " + std::to_string(step - 1));
    opened.give("step.next");
    CHECK(to_json(opened.window->dump()) == jumped);
    opened.give("go.end");
    opened.give(go);
    CHECK(to_json(opened.window->dump()) == jumped);
    opened.give("step.next");
    CHECK(to_json(opened.window->dump()) != jumped);
    opened.give("step.back");
    CHECK(to_json(opened.window->dump()) == jumped);
  }
}

TEST_CASE("the language switch keeps stop, step and every id") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.stop 4");
  const auto ids = ids_of(opened.window->dump());
  const std::string title = opened.value("lesson.title");
  opened.press(GLFW_KEY_L);
  CHECK(opened.window->state().stop == 4);
  CHECK(opened.value("lesson.title") != title);
  CHECK(ids_of(opened.window->dump()).contains("card.8.m"));
  for (const std::string& id : ids)
    if (id.starts_with("card.") || id.starts_with("node-") || id.starts_with("inspector.") ||
        id.find('.') == std::string::npos)
      CHECK_MESSAGE(ids_of(opened.window->dump()).contains(id), id);
}

TEST_CASE("the size of everything changes while it runs") {
  Opened opened = open(sized(1600, 900));
  if (!opened) return;
  opened.give("set.scale 75");
  CHECK(opened.window->ui().F == 17);  // 16.5 rounded
  for (const int percent : {300, 200, 150, 75, 100}) {
    opened.give("set.scale " + std::to_string(percent));
    CHECK(opened.window->ui().F == doctest::Approx(22.0 * percent / 100).epsilon(0.04));
    CHECK(opened.value("top.lesson") == "1  One real decode");
  }
}

TEST_CASE("keys do what the list of commands says") {
  Opened opened = open({});
  if (!opened) return;
  opened.press(GLFW_KEY_END);
  CHECK(opened.window->state().step == opened.window->scene().trace().steps().num_steps());
  opened.press(GLFW_KEY_LEFT);
  opened.press(GLFW_KEY_HOME);
  opened.press(GLFW_KEY_RIGHT);
  CHECK(opened.window->state().step == 1);
  opened.press(GLFW_KEY_M);
  CHECK(opened.window->state().step > 1);
  opened.press(GLFW_KEY_T);
  CHECK(opened.window->state().theme == Theme::light);
  opened.press(GLFW_KEY_SLASH, true);
  CHECK(opened.window->dump().find("help.title") != nullptr);
  CHECK(opened.window->dump().find("step.next") != nullptr);
  opened.press(GLFW_KEY_ESCAPE);
  CHECK(opened.window->dump().find("help.title") == nullptr);
  const std::string head = opened.value("card.0.m");
  opened.press(GLFW_KEY_H);
  CHECK(opened.window->state().head == 7);
  CHECK(opened.value("card.0.m") != head);
}

TEST_CASE("a step is typed") {
  Opened opened = open({});
  if (!opened) return;
  opened.press(GLFW_KEY_G);
  opened.platform->type_text("123");
  opened.settle();
  opened.press(GLFW_KEY_ENTER);
  CHECK(opened.window->state().step == 123);
  opened.press(GLFW_KEY_RIGHT);  // the keyboard is free again
  CHECK(opened.window->state().step == 124);
}

TEST_CASE("buttons answer the pointer and the keyboard") {
  Opened opened = open({});
  if (!opened) return;
  opened.click("stop.next");
  CHECK(opened.window->state().stop == 1);
  opened.click("lang.toggle");
  CHECK(opened.window->state().language == Language::zh);
  opened.click("go.stop 3");
  CHECK(opened.window->state().stop == 3);
  for (int i = 0; i < 60 && opened.window->ui().focus != "stop.back"; ++i) opened.press(GLFW_KEY_TAB);
  REQUIRE(opened.window->ui().focus == "stop.back");
  opened.press(GLFW_KEY_ENTER);
  CHECK(opened.window->state().stop == 2);
}

TEST_CASE("a question is answered, and the engine's answer appears only then") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.stop 4");
  CHECK(opened.window->dump().find("gate.engine") == nullptr);
  const auto before = opened.window->state().step;
  opened.click("gate.input");
  opened.platform->type_text("0.5");
  opened.settle();
  opened.press(GLFW_KEY_ENTER);
  REQUIRE(opened.window->state().gates.contains(4));
  CHECK(opened.window->state().gates.at(4).predicted == 0.5);
  CHECK(opened.value("gate.you") == "you 0.5");
  CHECK(opened.value("gate.engine") == "engine 0.5601");
  CHECK(opened.window->state().step == before + 1);
}

TEST_CASE("what a stop speaks of is framed while its own step is shown") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.stop 4");  // asks about tiles 8 and 9 while 6 and 7 have just met
  const auto framed = [&](const char* thing) { return opened.window->dump().find(thing) != nullptr; };
  CHECK(framed("highlight.tile-8"));
  CHECK(framed("highlight.tile-9"));
  CHECK_FALSE(framed("highlight.tile-7"));
  opened.give("step.next");  // now they are the step itself
  CHECK_FALSE(framed("highlight.tile-8"));
  opened.give("go.stop 0");
  CHECK(framed("highlight.key-297"));
}

TEST_CASE("where the panel is low, an answered question folds to one line and nothing scrolls") {
  Opened opened = open(sized(1280, 720));
  if (!opened) return;
  opened.give("go.stop 4");
  opened.give("gate.check 0.5");
  const Dump& dump = opened.window->dump();
  REQUIRE(dump.find("gate.you") != nullptr);
  CHECK(dump.find("gate.you")->value == "you 0.5");
  CHECK(dump.find("gate.you")->rect.y0 == dump.find("gate.engine")->rect.y0);
  CHECK(opened.window->ui().internals.scrolls.at("lesson.4").most == 0);
}

TEST_CASE("with Shift the jump buttons go back") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.step 362");
  opened.click("next.merge");
  CHECK(opened.window->state().step == 363);
  opened.platform->hold_shift(true);
  opened.settle();
  opened.click("previous.merge");
  CHECK(opened.window->state().step == 362);
}

TEST_CASE("a step walked to fades in, a jump does not, and play slides the two sides of a merge") {
  Opened opened = open({}, false);
  if (!opened) return;
  const auto draw = [&] { REQUIRE_FALSE(opened.window->draw_frame().has_value()); };
  const auto pixels = [&] { return opened.platform->read_pixels().rgba; };
  opened.give("go.step 361");
  opened.window->give({CommandId::step_next});
  draw();
  const auto first = pixels();
  CHECK(opened.window->ui().wants_redraw);
  for (int i = 0; i < 8; ++i) draw();  // 133 ms
  CHECK_FALSE(opened.window->ui().wants_redraw);
  CHECK(pixels() != first);
  const auto walked = pixels();

  opened.give("go.step 300");
  opened.window->give({CommandId::go_step, 362});
  draw();
  CHECK_FALSE(opened.window->ui().wants_redraw);
  CHECK(pixels() == walked);

  opened.give("go.step 361");
  opened.window->give({CommandId::play_toggle});
  while (opened.window->state().step == 361) draw();
  opened.window->give({CommandId::play_toggle});
  for (int i = 0; i < 9; ++i) draw();  // the tint is there, the boxes are under way
  CHECK(opened.window->ui().wants_redraw);
  CHECK(pixels() != walked);
  opened.settle();
  CHECK(opened.window->state().step == 362);
}

TEST_CASE("a value under the pointer lights up its term in the text") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.stop 5");
  const DumpEntry* cell = opened.window->dump().find("card.8.m");
  REQUIRE(cell != nullptr);
  const Rect panel = {0, 0, 400, 700};
  const auto picture_of_panel = [&] {
    const Picture picture = opened.platform->read_pixels();
    std::vector<std::uint8_t> part;
    for (int y = 0; y < static_cast<int>(panel.y1); ++y)
      for (int x = 0; x < 4 * static_cast<int>(panel.x1); ++x)
        part.push_back(picture.rgba[static_cast<std::size_t>(4 * picture.width * y + x)]);
    return part;
  };
  const auto before = picture_of_panel();
  opened.platform->move_mouse(cell->rect.center());
  opened.settle();
  CHECK(opened.window->ui().hover_link == "m-a");
  CHECK(picture_of_panel() != before);
}

TEST_CASE("a term under the pointer lights up in the picture") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.stop 4");
  const DumpEntry* bound = opened.window->dump().find("lesson.prose.merge[4].a.m:3");
  REQUIRE(bound != nullptr);
  opened.platform->move_mouse(bound->rect.center());
  opened.settle();
  CHECK(opened.window->ui().hover_link == "tile-8");
  CHECK(opened.value("tooltip").find("merge[4].a.m") != std::string::npos);
}

TEST_CASE("at rest no frame is asked for") {
  Opened opened = open({});
  if (!opened) return;
  opened.give("go.step 100");
  CHECK_FALSE(opened.window->ui().wants_redraw);
}

TEST_CASE("down to 640x360 every control can be reached by keyboard") {
  Opened opened = open(sized(640, 360));
  if (!opened) return;
  std::map<std::string, Rect> reached;
  for (int i = 0; i < 80; ++i) {
    opened.press(GLFW_KEY_DOWN);
    const std::string& focus = opened.window->ui().focus;
    const DumpEntry* entry = opened.window->dump().find(focus);
    REQUIRE_MESSAGE(entry != nullptr, focus);
    reached[focus] = entry->rect;
  }
  const Rect window{0, 0, 640, 360};
  for (const auto& control : reached) CHECK_MESSAGE(window.covers(control.second), control.first);
  for (const char* id : {"step.next", "play.toggle", "help.toggle"}) CHECK_MESSAGE(reached.contains(id), id);
  opened.click("panel.lesson");
  CHECK(opened.window->dump().find("lesson.title") != nullptr);
  opened.press(GLFW_KEY_2);
  CHECK(opened.window->dump().find("lesson.title") == nullptr);
  CHECK(opened.window->dump().find("inspector.title") != nullptr);
}

TEST_CASE("a step alone opens the stop it belongs to, and what lies beyond the run is refused") {
  const auto opened_at = [](std::optional<std::int64_t> stop, std::int64_t step) {
    WindowOptions options;
    options.stop = stop;
    options.step = step;
    return options;
  };
  {
    const Opened alone = open(opened_at({}, 269));
    if (!alone) return;
    CHECK(alone.window->state().stop == 2);
    CHECK(alone.window->state().step == 269);
  }
  const Opened both = open(opened_at(1, 269));
  CHECK(both.window->state().stop == 0);
  CHECK(both.window->state().step == 269);
  for (const auto& [stop, step] :
       {std::pair{std::optional<std::int64_t>(), 369}, {std::optional<std::int64_t>(10), 0}}) {
    WindowOptions options = opened_at(stop, step);
    const auto window = Window::open(*both.platform, options);
    REQUIRE_FALSE(window);
    CHECK(window.fault().sentence.find("expected a st") == 0);
  }
}

TEST_CASE("what cannot be opened is refused in one sentence") {
  auto platform = open_offscreen({800, 600});
  if (!platform) return;
  WindowOptions options;
  options.lesson = "no-such-lesson";
  const auto window = Window::open(**platform, options);
  REQUIRE_FALSE(window);
  CHECK(window.fault().sentence.find("no-such-lesson") != std::string::npos);
}

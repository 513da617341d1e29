// The window on a GPU scene: what it says at every stop and size, that it says the same however a step is reached, that it
// keeps an answer back until it is asked for, and that every control answers.
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <string>

#include "tests/opened_window.h"

using namespace fdlab;

namespace {

Opened open(const char* lesson, int width = 1600, int height = 900, int scale = 100) {
  WindowOptions options;
  options.lesson = lesson;
  options.size = {width, height};
  options.ui_scale = scale;
  return open_for_test(options);
}

const GpuScene& gpu_of(const Opened& opened) { return opened.window->scene().gpu(); }

/// What the stage says, without the pointer's tooltip.
std::string said(const Opened& opened) { return to_json(opened.window->dump()); }

}  // namespace

TEST_CASE("GPU scenes: no label is clipped, at any stop, in either language") {
  struct Size {
    int width, height, scale;
  };
  for (const char* lesson : {"2", "3"})
    for (const Size size : {Size{1280, 720, 100}, Size{1600, 900, 100}, Size{3840, 2160, 200}}) {
      Opened opened = open(lesson, size.width, size.height, size.scale);
      if (!opened) return;
      for (const char* language : {"en", "zh"}) {
        for (std::int64_t stop = 0; stop < opened.num_stops(); ++stop) {
          opened.give("go.stop " + std::to_string(stop));
          CAPTURE(lesson);
          CAPTURE(language);
          CAPTURE(stop);
          CAPTURE(size.width);
          CHECK(clipped_texts(opened.window->dump()) == "");
        }
        opened.give("lang.toggle");
      }
    }
}

TEST_CASE("in a short window the stage scrolls below the pointer, and the panel keeps its buttons in sight") {
  Opened opened = open("3", 1920, 1080, 200);
  if (!opened) return;
  opened.give("go.stop 2");
  const Rect next = opened.entry("stop.next").rect, board = opened.entry("board.B").rect;
  CHECK(next.y1 < opened.entry("transport.step").rect.y0);
  opened.platform->move_mouse(board.center());
  opened.settle();
  opened.platform->turn_wheel(-2);
  opened.settle();
  CHECK(opened.entry("board.B").rect.y0 < board.y0);
  CHECK(opened.entry("stop.next").rect == next);
}

TEST_CASE("a moment of a GPU says the same walked to, jumped to, and come back to") {
  Opened opened = open("3", 1280, 720);
  if (!opened) return;
  opened.give("go.stop 1");
  const std::int64_t last = gpu_of(opened).clock.last_step;
  const std::int64_t steps[] = {0, 1, last / 7, last / 3, last - 1, last};
  std::vector<std::string> walked;
  opened.give("go.home");
  for (std::int64_t step = 0; step <= last; ++step) {
    if (std::find(std::begin(steps), std::end(steps), step) != std::end(steps))
      walked.push_back(said(opened));
    if (step < last) opened.give("step.next");
  }
  for (std::size_t i = 0; i < walked.size(); ++i) {
    CAPTURE(steps[i]);
    opened.give("go.step " + std::to_string(steps[i]));
    CHECK(said(opened) == walked[i]);
  }
  opened.give("go.end");
  for (std::size_t i = walked.size(); i-- > 0;) {
    while (opened.window->state().step > steps[i]) opened.give("step.back");
    CHECK(said(opened) == walked[i]);
  }
}

TEST_CASE("the numbers beside their labels are the schedule's") {
  Opened opened = open("3");
  if (!opened) return;
  opened.give("go.stop 1");
  CHECK(opened.value("grid.A.busy") == "8");
  CHECK(opened.value("grid.B.busy") == "128");
  CHECK(opened.value("grid.B.time") == fixed_text(gpu_of(opened).b.schedule.time_us, 1));
  CHECK(opened.value("table.measured.a") == "183.9");
  CHECK(opened.value("table.measured.b") == "34.7");
  CHECK(opened.value("table.last_wave.b") == "97.0 %");
  CHECK(opened.value("table.occupancy.a") == "12.5 %");
  CHECK(opened.value("rule.FlashAttention-4.splits") == "16");
  CHECK(opened.value("table.badge") == "NVIDIA H200, 2026-11-30");
  CHECK(opened.value("stage.badge") == "model");
  const std::string model = opened.value("board.B.blocks");
  opened.press(GLFW_KEY_C);
  CHECK(opened.value("stage.badge") == "NVIDIA H200, 2026-11-30");
  CHECK(opened.value("board.B.blocks") != model);
  CHECK(opened.value("grid.B.time") == "34.7");
}

TEST_CASE("a question keeps its answer back until there is a prediction") {
  Opened opened = open("3");
  if (!opened) return;
  opened.give("go.stop 2");
  const std::string time = fixed_text(gpu_of(opened).b.schedule.time_us, 1);
  CHECK(said(opened).find("\"" + time + "\"") == std::string::npos);
  CHECK(said(opened).find("\"42.7\"") == std::string::npos);
  CHECK(opened.window->dump().find("sweep.hidden") != nullptr);
  CHECK(opened.window->dump().find("curve.key.sms.recording") == nullptr);
  opened.give("gate.check 69");
  CHECK(opened.value("grid.B.time") == time);
  CHECK(opened.value("table.measured.b") == "42.7");
  CHECK(opened.window->dump().find("sweep.hidden") == nullptr);
  for (const char* key : {"curve.key.sms.model", "curve.key.sms.recording", "curve.key.bandwidth.recording"})
    CHECK(opened.window->dump().find(key) != nullptr);
}

TEST_CASE("controls: keys, sliders, the sweep, and back to what the stop shows") {
  Opened opened = open("3");
  if (!opened) return;
  opened.give("go.stop 1");
  opened.press(GLFW_KEY_S);
  CHECK(gpu_of(opened).b.schedule.num_splits == 17);
  CHECK(opened.value("control.splits") == "17");
  opened.press(GLFW_KEY_S, true);
  opened.press(GLFW_KEY_B);
  CHECK(gpu_of(opened).spec.batch == 2);
  opened.press(GLFW_KEY_K, true);
  CHECK(gpu_of(opened).spec.kv_heads == 4);
  opened.press(GLFW_KEY_Q);
  CHECK(gpu_of(opened).spec.group == 2);
  opened.press(GLFW_KEY_N, true);
  CHECK(gpu_of(opened).spec.kv_len == 16384);
  opened.press(GLFW_KEY_V);
  CHECK(gpu_of(opened).spec.is_ragged);
  opened.press(GLFW_KEY_Z);
  CHECK_FALSE(gpu_of(opened).spec.splits);
  const std::string gpu = gpu_of(opened).spec.gpu;
  opened.press(GLFW_KEY_U);
  CHECK(gpu_of(opened).spec.gpu != gpu);
  opened.press(GLFW_KEY_U, true);
  CHECK(gpu_of(opened).spec.gpu == gpu);
  CHECK(clipped_texts(opened.window->dump()) == "");
  opened.press(GLFW_KEY_D);
  CHECK(gpu_of(opened).spec == opened.window->scene().lesson.stops[1].gpu);

  const Rect slider = opened.entry("slider.batch").rect;
  opened.press_at({slider.x1 - 2, slider.center().y});
  CHECK(gpu_of(opened).spec.batch == kMostBatch);
  opened.press(GLFW_KEY_D);
  const Rect sweep = opened.entry("sweep").rect;
  opened.press_at({sweep.x0 + 1, sweep.center().y});
  CHECK(gpu_of(opened).b.schedule.num_splits == 1);
}

TEST_CASE("sliders take the keyboard in order; its arrows move them, and step again once they let it go") {
  Opened opened = open("3");
  if (!opened) return;
  opened.give("go.stop 1");
  const std::int64_t step = opened.window->state().step;
  std::vector<std::string> sliders;
  for (int i = 0; i < 60; ++i) {
    opened.press(GLFW_KEY_TAB);
    const std::string& focus = opened.window->ui().focus;
    if (!focus.starts_with("slider.")) continue;
    sliders.push_back(focus);
    if (sliders.size() > 1 && focus == sliders.front()) break;  // once round all controls
    const GpuSceneSpec before = gpu_of(opened).spec;
    opened.press(GLFW_KEY_RIGHT);
    CHECK(gpu_of(opened).spec != before);
    CAPTURE(focus);
    opened.press(GLFW_KEY_LEFT);
    CHECK(gpu_of(opened).spec == before);
    opened.press(GLFW_KEY_LEFT, true);  // with Shift an arrow is no slider's
    CHECK(gpu_of(opened).spec == before);
    CHECK(opened.window->ui().focus == sliders.back());
    CHECK(gpu_of(opened).b.schedule.num_splits == 16);
  }
  CHECK(sliders == std::vector<std::string>{"slider.batch", "slider.kv_heads", "slider.group",
                                            "slider.length", "slider.splits", "slider.batch"});
  CHECK(opened.window->state().step == step);
  opened.press(GLFW_KEY_ESCAPE);
  opened.press(GLFW_KEY_RIGHT);
  CHECK(opened.window->state().step == step + 1);
}

TEST_CASE("time is scrubbed on the lanes and on the track; J goes from turn to turn") {
  Opened opened = open("3");
  if (!opened) return;
  opened.give("go.stop 2");
  opened.give("gate.skip");
  const Rect lanes = opened.entry("stage.time").rect, track = opened.entry("track").rect;
  opened.press_at({lanes.x0 + 1, lanes.center().y});
  CHECK(opened.window->state().step <= 1);
  opened.press_at({track.x1 - 2, track.center().y});
  CHECK(opened.window->state().step == gpu_of(opened).clock.last_step);
  opened.give("go.home");
  std::vector<std::int64_t> turns;
  for (int i = 0; i < 12; ++i) {
    opened.press(GLFW_KEY_J);
    if (turns.empty() || opened.window->state().step != turns.back())
      turns.push_back(opened.window->state().step);
  }
  CHECK(turns.size() >= 3);
  CHECK(turns.back() == gpu_of(opened).clock.last_step);
  opened.press(GLFW_KEY_J, true);
  CHECK(opened.window->state().step < gpu_of(opened).clock.last_step);
}

TEST_CASE("a launch with thousands of blocks is drawn, and a GPU with four SMs") {
  Opened opened = open("2", 1280, 720);
  if (!opened) return;
  opened.give("go.stop 5");
  opened.give("set.batch 256");
  opened.give("set.kv_heads 32");
  CHECK(gpu_of(opened).b.blocks() <= kMostShownBlocks);
  opened.give("go.step 50");
  opened.give("scene.reset");
  for (int i = 0; i < 8; ++i) {
    opened.give("gpu.next");
    CAPTURE(gpu_of(opened).gpu.name);
    CHECK(clipped_texts(opened.window->dump()) == "");
  }
}

TEST_CASE("from lesson to lesson, round the list, and back to the same picture") {
  Opened opened = open("1");
  if (!opened) return;
  const std::string first = said(opened);
  opened.press(GLFW_KEY_PAGE_DOWN, true);
  CHECK(opened.window->scene().lesson.name == "why-decoding-starves-a-gpu");
  CHECK(opened.window->scene().is_gpu());
  opened.give("go.stop 3");
  opened.give("gate.skip");
  opened.press(GLFW_KEY_PAGE_DOWN, true);
  CHECK(opened.window->scene().lesson.name == "splitting-the-kv-cache");
  CHECK(opened.window->state().stop == 0);
  CHECK(opened.window->state().gates.empty());
  CHECK(clipped_texts(opened.window->dump()) == "");
  opened.give("lesson.next");
  CHECK(opened.window->scene().lesson.name == "one-real-decode");
  CHECK(said(opened) == first);
  opened.press(GLFW_KEY_PAGE_UP, true);
  CHECK(opened.window->scene().lesson.name == "splitting-the-kv-cache");
}

#include <doctest/doctest.h>

#include "viz/app_state.h"

using namespace fdlab;

namespace {

// Ten steps, three stops, four heads; the maximum rises at 2 and 7.
Extent small_extent() {
  Extent extent;
  extent.last_step = 10;
  extent.num_heads = 4;
  extent.stop_steps = {0, 4, 9};
  extent.reveal_steps = {6, 0, 0};
  extent.find = [](Landmark landmark, std::int64_t step, int direction) -> std::optional<std::int64_t> {
    if (landmark != Landmark::max_rises) return std::nullopt;
    if (direction > 0)
      return step < 2   ? std::optional<std::int64_t>(2)
             : step < 7 ? std::optional<std::int64_t>(7)
                        : std::nullopt;
    return step > 7   ? std::optional<std::int64_t>(7)
           : step > 2 ? std::optional<std::int64_t>(2)
                      : std::nullopt;
  };
  return extent;
}

AppState after(AppState state, std::initializer_list<Command> commands,
               const Extent& extent = small_extent()) {
  for (const Command& command : commands) state = apply(std::move(state), command, extent);
  return state;
}

}  // namespace

using enum CommandId;

TEST_CASE("steps stay inside the run") {
  CHECK(after({}, {{step_back}}).step == 0);
  CHECK(after({}, {{step_next}, {step_next}, {step_back}}).step == 1);
  CHECK(after({}, {{go_end}, {step_next}}).step == 10);
  CHECK(after({}, {{go_step, 99}}).step == 10);
  CHECK(after({}, {{go_step, -99}}).step == 0);
  CHECK(after({}, {{go_end}, {go_home}}).step == 0);
}

TEST_CASE("landmarks: the next one, the previous one, or nothing changes") {
  CHECK(after({}, {{next_max_rises}}).step == 2);
  CHECK(after({}, {{next_max_rises}, {next_max_rises}}).step == 7);
  CHECK(after({}, {{next_max_rises}, {next_max_rises}, {next_max_rises}}).step == 7);
  CHECK(after({}, {{go_end}, {previous_max_rises}}).step == 7);
  CHECK(after({}, {{go_step, 5}, {next_merge}, {previous_rescale}}).step == 5);
}

TEST_CASE("a stop puts the playhead where it belongs; heads go round") {
  const AppState second = after({}, {{stop_next}});
  CHECK(second.stop == 1);
  CHECK(second.step == 4);
  CHECK(after({}, {{stop_back}}).stop == 0);
  CHECK(after({}, {{go_stop, 7}}).stop == 2);
  CHECK(after({}, {{go_stop, 7}, {step_back}}).stop == 2);
  CHECK(after({}, {{head_back}}).head == 3);
  CHECK(after({}, {{head_back}, {head_next}}).head == 0);
  CHECK(after({}, {{go_head, 9}}).head == 3);
}

TEST_CASE("play runs at its speed and halts at the end") {
  const Extent extent = small_extent();
  double carry = 0;
  AppState state = after({}, {{play_toggle}});
  CHECK(state.is_playing);
  state = play(state, 0.4, carry, extent);  // two steps a second
  CHECK(state.step == 0);
  state = play(state, 0.2, carry, extent);
  CHECK(state.step == 1);
  state = after(state, {{speed_up}});
  state = play(state, 1.0, carry, extent);
  CHECK(state.step == 5);
  state = play(state, 60, carry, extent);
  CHECK(state.step == 10);
  CHECK_FALSE(state.is_playing);
  state = after(state, {{play_toggle}});  // from the end: once more from the start
  CHECK(state.step == 0);
  CHECK(state.is_playing);
  CHECK_FALSE(after(state, {{step_next}}).is_playing);
}

TEST_CASE("speed and scale have ends") {
  AppState state;
  for (int i = 0; i < 20; ++i) state = after(state, {{speed_up}, {scale_up}});
  CHECK(state.speed == kMaxSpeed);
  CHECK(state.scale_percent == 300);
  for (int i = 0; i < 40; ++i) state = after(state, {{speed_down}, {scale_down}});
  CHECK(state.speed == kMinSpeed);
  CHECK(state.scale_percent == 75);
  CHECK(after(state, {{scale_reset}}).scale_percent == 100);
  CHECK(after({}, {{set_scale, 133}, {scale_up}}).scale_percent == 150);
  CHECK(after({}, {{set_scale, 133}, {scale_down}}).scale_percent == 125);
  CHECK(after({}, {{set_scale, 9999}}).scale_percent == 300);
}

TEST_CASE("switching the language keeps place and focus") {
  const AppState before = after({}, {{go_stop, 1}, {step_next}});
  AppState state = after(before, {{language_toggle}});
  CHECK(state.language == Language::zh);
  state.language = before.language;
  CHECK(state.step == before.step);
  CHECK(state.stop == before.stop);
}

TEST_CASE("one overlay at a time; panels are tabs or overlays where there is no room") {
  Extent narrow = small_extent();
  narrow.panels_are_overlays = true;
  CHECK(after({}, {{panel_lesson}}, narrow).overlay == Overlay::lesson);
  CHECK(after({}, {{panel_lesson}, {panel_inspector}}, narrow).overlay == Overlay::inspector);
  CHECK(after({}, {{panel_lesson}, {panel_lesson}}, narrow).overlay == Overlay::none);
  CHECK(after({}, {{help_toggle}, {panel_lesson}}, narrow).overlay == Overlay::lesson);
  CHECK(after({}, {{help_toggle}, {close}}).overlay == Overlay::none);
  const AppState tab = after({}, {{panel_switch}});
  CHECK(tab.overlay == Overlay::none);
  CHECK(tab.side_tab == SideTab::inspector);
}

TEST_CASE("a prediction is a number or it is not taken") {
  const AppState taken = after({}, {{gate_check, 0, "0.5"}});
  CHECK(taken.gates.at(0).predicted == 0.5);
  CHECK(taken.gates.at(0).is_open);
  CHECK(taken.step == 6);  // the answer is shown there
  CHECK(after({}, {{gate_check, 0, "−1,5"}}).gates.at(0).predicted == -1.5);
  for (const char* bad : {"", "half", "0.5x", "nan", "inf", "1e999"}) {
    CAPTURE(bad);
    const AppState refused = after({}, {{gate_check, 0, bad}});
    CHECK_FALSE(refused.gates.at(0).is_open);
    CHECK(refused.step == 0);
  }
  const AppState skipped = after({}, {{gate_skip}});
  CHECK(skipped.gates.at(0).is_open);
  CHECK_FALSE(skipped.gates.at(0).predicted.has_value());
  CHECK(after({}, {{go_step, 8}, {gate_skip}}).step == 8);  // never back
}

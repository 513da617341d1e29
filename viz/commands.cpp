#include "viz/commands.h"

#include <GLFW/glfw3.h>

#include <array>
#include <charconv>

namespace fdlab {
namespace {

constexpr KeyPress key(int code) { return {code, false, false}; }
constexpr KeyPress shift(int code) { return {code, true, false}; }
constexpr KeyPress ctrl(int code) { return {code, false, true}; }
constexpr KeyPress kNone{};

using enum CommandId;
constexpr std::array kCommands{
    CommandInfo{step_next, "step.next", Phrase::step_next, key(GLFW_KEY_RIGHT), "→", true},
    CommandInfo{step_back, "step.back", Phrase::step_back, key(GLFW_KEY_LEFT), "←", true},
    CommandInfo{play_toggle, "play.toggle", Phrase::play_toggle, key(GLFW_KEY_SPACE), "Space", true},
    CommandInfo{go_home, "go.home", Phrase::go_home, key(GLFW_KEY_HOME), "Home", true},
    CommandInfo{go_end, "go.end", Phrase::go_end, key(GLFW_KEY_END), "End", true},
    CommandInfo{go_step, "go.step", Phrase::go_step, key(GLFW_KEY_G), "G", true},
    CommandInfo{next_max_rises, "next.max_rises", Phrase::next_max_rises, key(GLFW_KEY_X), "X", true},
    CommandInfo{previous_max_rises, "previous.max_rises", Phrase::previous_max_rises, shift(GLFW_KEY_X),
                "Shift X", true},
    CommandInfo{next_rescale, "next.rescale", Phrase::next_rescale, key(GLFW_KEY_R), "R", true},
    CommandInfo{previous_rescale, "previous.rescale", Phrase::previous_rescale, shift(GLFW_KEY_R), "Shift R",
                true},
    CommandInfo{next_merge, "next.merge", Phrase::next_merge, key(GLFW_KEY_M), "M", true},
    CommandInfo{previous_merge, "previous.merge", Phrase::previous_merge, shift(GLFW_KEY_M), "Shift M", true},
    CommandInfo{next_turn, "next.turn", Phrase::next_turn, key(GLFW_KEY_J), "J", true},
    CommandInfo{previous_turn, "previous.turn", Phrase::previous_turn, shift(GLFW_KEY_J), "Shift J", true},
    CommandInfo{speed_up, "speed.up", Phrase::speed_up, key(GLFW_KEY_PERIOD), ".", true},
    CommandInfo{speed_down, "speed.down", Phrase::speed_down, key(GLFW_KEY_COMMA), ",", true},
    CommandInfo{stop_next, "stop.next", Phrase::stop_next, key(GLFW_KEY_PAGE_DOWN), "PageDown", true},
    CommandInfo{stop_back, "stop.back", Phrase::stop_back, key(GLFW_KEY_PAGE_UP), "PageUp", true},
    CommandInfo{go_stop, "go.stop", Phrase::go_stop, kNone, "", false},
    CommandInfo{lesson_next, "lesson.next", Phrase::lesson_next, shift(GLFW_KEY_PAGE_DOWN), "Shift PageDown",
                true},
    CommandInfo{lesson_back, "lesson.back", Phrase::lesson_back, shift(GLFW_KEY_PAGE_UP), "Shift PageUp",
                true},
    CommandInfo{head_next, "head.next", Phrase::head_next, key(GLFW_KEY_H), "H", true},
    CommandInfo{head_back, "head.back", Phrase::head_back, shift(GLFW_KEY_H), "Shift H", true},
    CommandInfo{go_head, "go.head", Phrase::go_head, kNone, "", false},
    CommandInfo{panel_lesson, "panel.lesson", Phrase::panel_lesson, key(GLFW_KEY_1), "1", true},
    CommandInfo{panel_inspector, "panel.inspector", Phrase::panel_inspector, key(GLFW_KEY_2), "2", true},
    CommandInfo{panel_switch, "panel.switch", Phrase::panel_switch, key(GLFW_KEY_I), "Tab, I", true},
    CommandInfo{gpu_next, "gpu.next", Phrase::gpu_next, key(GLFW_KEY_U), "U", true},
    CommandInfo{gpu_back, "gpu.back", Phrase::gpu_back, shift(GLFW_KEY_U), "Shift U", true},
    CommandInfo{batch_up, "batch.up", Phrase::batch_up, key(GLFW_KEY_B), "B", true},
    CommandInfo{batch_down, "batch.down", Phrase::batch_down, shift(GLFW_KEY_B), "Shift B", true},
    CommandInfo{set_batch, "set.batch", Phrase::set_batch, kNone, "", false},
    CommandInfo{kv_heads_up, "kv_heads.up", Phrase::kv_heads_up, key(GLFW_KEY_K), "K", true},
    CommandInfo{kv_heads_down, "kv_heads.down", Phrase::kv_heads_down, shift(GLFW_KEY_K), "Shift K", true},
    CommandInfo{set_kv_heads, "set.kv_heads", Phrase::set_kv_heads, kNone, "", false},
    CommandInfo{group_up, "group.up", Phrase::group_up, key(GLFW_KEY_Q), "Q", true},
    CommandInfo{group_down, "group.down", Phrase::group_down, shift(GLFW_KEY_Q), "Shift Q", true},
    CommandInfo{set_group, "set.group", Phrase::set_group, kNone, "", false},
    CommandInfo{length_up, "length.up", Phrase::length_up, key(GLFW_KEY_N), "N", true},
    CommandInfo{length_down, "length.down", Phrase::length_down, shift(GLFW_KEY_N), "Shift N", true},
    CommandInfo{set_length, "set.length", Phrase::set_length, kNone, "", false},
    CommandInfo{lengths_toggle, "lengths.toggle", Phrase::lengths_toggle, key(GLFW_KEY_V), "V", true},
    CommandInfo{splits_up, "splits.up", Phrase::splits_up, key(GLFW_KEY_S), "S", true},
    CommandInfo{splits_down, "splits.down", Phrase::splits_down, shift(GLFW_KEY_S), "Shift S", true},
    CommandInfo{set_splits, "set.splits", Phrase::set_splits, kNone, "", false},
    CommandInfo{splits_auto, "splits.auto", Phrase::splits_auto, key(GLFW_KEY_Z), "Z", true},
    CommandInfo{recording_toggle, "recording.toggle", Phrase::recording_toggle, key(GLFW_KEY_C), "C", true},
    CommandInfo{scene_reset, "scene.reset", Phrase::scene_reset, key(GLFW_KEY_D), "D", true},
    CommandInfo{language_toggle, "lang.toggle", Phrase::language_toggle, key(GLFW_KEY_L), "L", true},
    CommandInfo{theme_toggle, "theme.toggle", Phrase::theme_toggle, key(GLFW_KEY_T), "T", true},
    CommandInfo{scale_up, "scale.up", Phrase::scale_up, key(GLFW_KEY_EQUAL), "+", true},
    CommandInfo{scale_down, "scale.down", Phrase::scale_down, key(GLFW_KEY_MINUS), "-", true},
    CommandInfo{scale_reset, "scale.reset", Phrase::scale_reset, key(GLFW_KEY_0), "0", true},
    CommandInfo{set_scale, "set.scale", Phrase::set_scale, kNone, "", false},
    CommandInfo{motion_toggle, "motion.toggle", Phrase::motion_toggle, key(GLFW_KEY_A), "A", true},
    CommandInfo{help_toggle, "help.toggle", Phrase::help_toggle, shift(GLFW_KEY_SLASH), "?", true},
    CommandInfo{close, "close", Phrase::close, key(GLFW_KEY_ESCAPE), "Esc", true},
    CommandInfo{focus_next, "focus.next", Phrase::focus_next, key(GLFW_KEY_DOWN), "↓", true},
    CommandInfo{focus_back, "focus.back", Phrase::focus_back, key(GLFW_KEY_UP), "↑", true},
    CommandInfo{focus_press, "focus.press", Phrase::focus_press, key(GLFW_KEY_ENTER), "Enter", true},
    CommandInfo{gate_check, "gate.check", Phrase::gate_check, kNone, "", false},
    CommandInfo{gate_skip, "gate.skip", Phrase::gate_skip, kNone, "", false},
    CommandInfo{quit, "quit", Phrase::quit, ctrl(GLFW_KEY_Q), "Ctrl Q", true},
};

// Other keys that say the same. Where lesson and step share a panel, Tab switches it (Window::take_keys).
struct Alias {
  KeyPress key;
  CommandId id;
};
constexpr std::array kAliases{
    Alias{key(GLFW_KEY_F1), help_toggle},         Alias{shift(GLFW_KEY_EQUAL), scale_up},
    Alias{ctrl(GLFW_KEY_EQUAL), scale_up},        Alias{ctrl(GLFW_KEY_MINUS), scale_down},
    Alias{ctrl(GLFW_KEY_0), scale_reset},         Alias{key(GLFW_KEY_KP_ADD), scale_up},
    Alias{key(GLFW_KEY_KP_SUBTRACT), scale_down}, Alias{key(GLFW_KEY_KP_ENTER), focus_press},
    Alias{key(GLFW_KEY_TAB), focus_next},         Alias{shift(GLFW_KEY_TAB), focus_back},
};

bool takes_argument(CommandId id) {
  return id == go_step || id == go_stop || id == go_head || id == set_scale || id == set_batch ||
         id == set_kv_heads || id == set_group || id == set_length || id == set_splits;
}

}  // namespace

std::span<const CommandInfo> all_commands() { return kCommands; }

const CommandInfo& info_of(CommandId id) { return kCommands[static_cast<std::size_t>(id)]; }

std::optional<Command> command_of(KeyPress key) {
  if (key.key == 0) return std::nullopt;
  for (const CommandInfo& info : kCommands)
    if (info.key == key) return Command{info.id};
  for (const Alias& alias : kAliases)
    if (alias.key == key) return Command{alias.id};
  return std::nullopt;
}

std::optional<Command> parse_command(std::string_view line) {
  const std::size_t space = line.find(' ');
  const std::string_view name = line.substr(0, space);
  const std::string_view number = space == std::string_view::npos ? "" : line.substr(space + 1);
  for (const CommandInfo& info : kCommands) {
    if (info.name != name) continue;
    Command command{info.id};
    if ((takes_argument(info.id) || info.id == gate_check) != !number.empty()) return std::nullopt;
    if (info.id == gate_check) command.text = number;
    if (!takes_argument(info.id)) return command;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), command.argument);
    if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
    return command;
  }
  return std::nullopt;
}

}  // namespace fdlab

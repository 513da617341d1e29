// Named commands: the one list behind keys, buttons, scripts and tests. The help overlay draws it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "viz/strings.h"

namespace fdlab {

enum class CommandId : std::uint8_t {
  step_next,
  step_back,
  play_toggle,
  go_home,
  go_end,
  go_step,  ///< argument: the step, from 0
  next_max_rises,
  previous_max_rises,
  next_rescale,
  previous_rescale,
  next_merge,
  previous_merge,
  next_turn,
  previous_turn,
  speed_up,
  speed_down,
  stop_next,
  stop_back,
  go_stop,  ///< argument: the stop, from 0
  lesson_next,
  lesson_back,
  head_next,
  head_back,
  go_head,  ///< argument: the query head
  panel_lesson,
  panel_inspector,
  panel_switch,
  gpu_next,
  gpu_back,
  batch_up,
  batch_down,
  set_batch,  ///< argument: sequences
  kv_heads_up,
  kv_heads_down,
  set_kv_heads,  ///< argument: KV heads
  group_up,
  group_down,
  set_group,  ///< argument: query heads that share a KV head
  length_up,
  length_down,
  set_length,  ///< argument: keys of the longest sequence
  lengths_toggle,
  splits_up,
  splits_down,
  set_splits,  ///< argument: splits of B
  splits_auto,
  recording_toggle,
  scene_reset,
  language_toggle,
  theme_toggle,
  scale_up,
  scale_down,
  scale_reset,
  set_scale,  ///< argument: percent
  motion_toggle,
  help_toggle,
  close,
  focus_next,
  focus_back,
  focus_press,
  gate_check,  ///< text: the prediction
  gate_skip,
  quit,
};

/// A command as it is given: from a key, a button, a script line or a test.
struct Command {
  CommandId id;
  std::int64_t argument = 0;
  std::string text{};  ///< gate.check: the number as typed
  friend bool operator==(const Command&, const Command&) = default;
};

/// Key with modifiers, by GLFW's key code.
struct KeyPress {
  int key = 0;
  bool shift = false, ctrl = false;
  friend bool operator==(KeyPress, KeyPress) = default;
};

struct CommandInfo {
  CommandId id;
  const char* name;      ///< "step.next", as scripts and tests write it
  Phrase label;          ///< "one step on", in both languages
  KeyPress key;          ///< key 0: none of its own
  const char* key_name;  ///< as printed on a key cap: "Shift M"
  bool in_help;
};

std::span<const CommandInfo> all_commands();
const CommandInfo& info_of(CommandId id);

std::optional<Command> command_of(KeyPress key);
/// "go.step 362". Nothing when the name is unknown or a number is missing or too much.
std::optional<Command> parse_command(std::string_view line);

}  // namespace fdlab

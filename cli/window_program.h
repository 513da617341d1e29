// The window is a program of its own, fdlab-window, beside this one: a terminal needs neither OpenGL nor Dear
// ImGui.
#pragma once

namespace fdlab::cli {

/// True where the command line is meant for the window: no command at all, `render …`, or options only.
bool is_for_window(int argc, char** argv);

/// Becomes fdlab-window with the same arguments, `render` being `--offscreen`. Returns only if it cannot: after one sentence, with the exit
/// code.
int become_window(char** argv);

}  // namespace fdlab::cli

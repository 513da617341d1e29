#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "viz/draw.h"
#include "viz/frame.h"

namespace fdlab {
namespace {

enum class For : std::uint8_t { all, gpu };  // which kind of scene the commands are for

struct Group {
  Phrase title;
  CommandId first, last;
  For scene = For::all;
};
constexpr std::array kGroups{
    Group{Phrase::help_steps, CommandId::step_next, CommandId::speed_down},
    Group{Phrase::help_lesson, CommandId::stop_next, CommandId::panel_switch},
    Group{Phrase::help_gpu, CommandId::gpu_next, CommandId::scene_reset, For::gpu},
    Group{Phrase::help_window, CommandId::language_toggle, CommandId::quit},
};

/// Whether the command does anything in this kind of scene.
bool is_of_use(CommandId id, bool is_gpu) {
  using enum CommandId;
  const bool is_turn = id == next_turn || id == previous_turn;
  const bool is_of_trace =
      (id >= next_max_rises && id <= previous_merge) || id == head_next || id == head_back;
  return is_gpu ? !is_of_trace : !is_turn;
}

std::vector<const CommandInfo*> commands_of(const Group& group, bool is_gpu) {
  std::vector<const CommandInfo*> out;
  for (const CommandInfo& info : all_commands())
    if (info.id >= group.first && info.id <= group.last && info.in_help && is_of_use(info.id, is_gpu))
      out.push_back(&info);
  return out;
}

void draw_key_cap(Ui& ui, Rect r, const char* name) {
  const float width = text_width(ui, {FontSize::S}, name) + 2 * ui.u, half = std::round(0.52f * ui.F);
  const float middle = std::round(r.center().y);
  const Rect cap = snapped(Rect{r.x0, middle - half, r.x0 + std::max(width, 2 * half), middle + half});
  fill(ui, cap, ui.color(Role::raised), ui.px(3));
  outline(ui, cap, ui.color(Role::line2), 1, ui.px(3));
  text_in(ui, cap, name, {.font = {FontSize::S}, .align = Align::center});
}

float draw_group(Ui& ui, const Group& group, bool is_gpu, Rect column) {
  const float row = std::round(1.5f * ui.F), keys = 5.4f * ui.F;
  Cutter cut{column};
  text_in(ui, cut.top(std::round(1.8f * ui.F)), ui.tr(group.title), {.font = {.bold = true}});
  for (const CommandInfo* info : commands_of(group, is_gpu)) {
    const Rect line = cut.top(row);
    draw_key_cap(ui, line.left(keys), info->key_name);
    text_in(ui, {line.x0 + keys, line.y0, line.x1, line.y1}, ui.tr(info->label),
            {.role = Role::text2, .id = info->name});
  }
  return cut.rest.y0 - column.y0;
}

}  // namespace

void draw_help(Ui& ui, bool is_gpu) {
  draw_panel_ground(ui, ui.window);
  const float pad = 4 * ui.u;
  const float width = std::min(ui.window.width(), 76 * ui.F);
  const float x = std::round(ui.window.center().x - width / 2) + pad;
  Rect page{x, ui.window.y0 + pad, x + width - 2 * pad, ui.window.y1 - pad};

  Rect head = page.top(std::round(2.2f * ui.F));
  ButtonStyle shut{.icon = Icon::cross, .is_plain = true};
  command_button(ui, head.right(head.height()), CommandId::close, shut);
  text_in(ui, head, ui.tr(Phrase::help_title), {.font = {FontSize::L, true}, .id = "help.title"});
  page.y0 = head.y1 + 2 * ui.u;

  ScrollArea scroll(ui, "help", page);
  const int columns = page.width() > 64 * ui.F   ? 4
                      : page.width() > 48 * ui.F ? 3
                      : page.width() > 31 * ui.F ? 2
                                                 : 1;
  const float gap = 4 * ui.u,
              column = (page.width() - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  std::array<float, 4> used{};
  std::size_t next = 0;
  for (const Group& group : kGroups) {
    if (group.scene == For::gpu && !is_gpu) continue;
    const std::size_t at = next++ % static_cast<std::size_t>(columns);
    const float left = page.x0 + static_cast<float>(at) * (column + gap), top = scroll.origin().y + used[at];
    used[at] += draw_group(ui, group, is_gpu, {left, top, left + column, top + 100 * ui.F}) + 2 * ui.u;
  }
  scroll.end(*std::max_element(used.begin(), used.end()));
}

}  // namespace fdlab

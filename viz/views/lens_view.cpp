// The lens: the tokens of the tiles that the step is about, on the weight they carry in the whole row.
#include <array>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/layout/lens.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};

/// Name and keys at the left, the share of the row at the right as soon as the tile is read.
void draw_heading(Ui& ui, const StageFrame& frame, const LensPanel& panel, std::int64_t tile,
                  const char* side) {
  const std::string id = link_id("lens", tile);
  float x = panel.title.x0;
  const auto put = [&](std::string_view text, Font font, Role role, float gap, const char* part) {
    const float width = std::ceil(text_width(ui, font, text));
    if (x + width > panel.title.x1) return;
    text_in(ui, {x, panel.title.y0, x + width, panel.title.y1}, text,
            {.font = font, .role = role, .id = id + part});
    x += width + gap;
  };
  if (*side) put(side, {FontSize::M, true}, Role::text, 2 * ui.u, ".side");
  put(say(ui, Phrase::tile_number, tile), {FontSize::M, true}, Role::text, 4 * ui.u, ".tile");
  put(say(ui, Phrase::keys_range, panel.keys.begin, panel.keys.end - 1), kSmall, Role::text3, 3 * ui.u,
      ".keys");
  if (frame.progress.keys_scanned(tile) < frame.plan().tile(tile).size()) return;
  const std::string share =
      say(ui, Phrase::share_of_row, percent_text(frame.trace.tile_share(tile), 1, ui.language));
  if (x + text_width(ui, kSmall, share) > panel.title.x1) return;
  text_in(ui, {x, panel.title.y0, panel.title.x1, panel.title.y1}, share,
          {.font = kSmall, .role = Role::text2, .align = Align::right, .id = id + ".share"});
}

void draw_token(Ui& ui, const StageFrame& frame, Rect cell, std::int64_t key) {
  const bool has_joined = key < frame.progress.keys_read();
  const float place = has_joined ? frame.weight_place(frame.trace.weight(key)) : 0;
  const Rect box = cell.shrunk(ui.px(2), ui.px(1));
  TextStyle style{.role = has_joined ? Role::text : Role::text3, .align = Align::center};
  if (place > 0.1f) {
    const Color ground = color_at(ui.theme, ColorMap::weight, place);
    fill(ui, box, ground);
    style.color = ink_on(ground);
  }
  const std::string token = visible_token(frame.scene.traced().data.tokens[static_cast<std::size_t>(key)]);
  if (text_width(ui, style.font, token) > box.width()) style.font = kSmall;
  const std::string id = link_id("token", key);
  style.id = id;
  text_in(ui, cell, token, style);
  if (key == frame.progress.key()) outline(ui, box, ui.color(Role::mark), ui.px(2));
  draw_link(ui, box, link_id("key", key));
  if (link_area(ui, cell, link_id("key", key)) && ui.mouse.was_pressed)
    ui.send(CommandId::go_step, frame.trace.steps().of_key(key));
}

void draw_panel(Ui& ui, const StageFrame& frame, const LensPanel& panel, std::int64_t tile,
                const char* side) {
  const Color thread = ui.color(ui.theme == Theme::dark ? Role::mark : Role::text3);
  for (const auto& [from, to] : {panel.left_thread, panel.right_thread})
    line(ui, from, to, faded(thread, 0.6f));
  fill(ui, panel.box, ui.color(Role::card));
  fill(ui, panel.box.top(ui.px(2)), ui.color(Role::mark));
  draw_heading(ui, frame, panel, tile, side);
  for (std::int64_t key = panel.keys.begin; key < panel.keys.end; ++key)
    draw_token(ui, frame, panel.cell(key), key);
  draw_link(ui, panel.box, link_id("tile", tile));
}

}  // namespace

void draw_lens(Ui& ui, const StageFrame& frame) {
  const auto [a, b] = frame.named.lens_tiles();
  if (frame.rows.lens.is_empty() || (a < 0 && b < 0)) return;
  LensRequest request{.area = frame.rows.lens, .strip_foot = frame.strip_foot(), .tile_a = a >= 0 ? a : b};
  if (a >= 0 && b >= 0) request.tile_b = b;
  request.key = frame.progress.key();
  const auto panels = layout_lens(request, frame.columns);
  const bool has_sides = a >= 0 && b >= 0;
  draw_panel(ui, frame, panels[0], request.tile_a, has_sides ? "a" : "");
  if (has_sides) draw_panel(ui, frame, panels[1], b, "b");
}

}  // namespace fdlab

#include "viz/layout/lens.h"

namespace fdlab {
namespace {

constexpr float kTitleHeight = 32, kFoot = 20, kGap = 16;
constexpr float kCell = 2;  // least width of a token, in F

/// The rows of a tile that fit, those around the key if not all do.
KeyRange rows_shown(KeyRange keys, std::int64_t per_row, std::int64_t rows, std::int64_t key) {
  const std::int64_t all_rows = (keys.size() + per_row - 1) / per_row;
  if (all_rows <= rows) return keys;
  const std::int64_t row_of_key = key < 0 ? 0 : (key - keys.begin) / per_row;
  const std::int64_t first = std::clamp<std::int64_t>(row_of_key - rows / 2, 0, all_rows - rows);
  const std::int64_t begin = keys.begin + first * per_row;
  return {begin, std::min(begin + rows * per_row, keys.end)};
}

LensPanel layout_panel(Rect box, std::int64_t tile, const LensRequest& request, const Columns& columns) {
  const float F = columns.F();
  const float u = spacing_unit(F);
  LensPanel panel;
  panel.box = box;
  panel.slot = columns.order().of_tile(tile);
  panel.title = box.top(scaled_px(F, kTitleHeight)).shrunk(2 * u, 0);
  const Rect cells{box.x0 + 2 * u, panel.title.y1, box.x1 - 2 * u, box.y1 - u};
  // Eight a row, fewer where a word would not fit.
  panel.per_row = std::clamp(static_cast<int>(cells.width() / (kCell * F)), 4, 8);
  panel.cell_width = std::floor(cells.width() / static_cast<float>(panel.per_row));
  const std::int64_t rows =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(cells.height() / (1.25f * F)));
  panel.cell_height = std::floor(std::min(cells.height() / static_cast<float>(rows), 1.3f * F));
  panel.first_cell = {cells.x0, cells.y0};
  panel.keys = rows_shown(columns.order().plan().tile(tile), panel.per_row, rows, request.key);

  const float left = columns.x(panel.slot), right = left + columns.width();
  const float foot = request.strip_foot;
  panel.left_thread = {Vec2{left, foot}, {box.x0, box.y0}};
  panel.right_thread = {Vec2{right, foot}, {box.x1, box.y0}};
  return panel;
}

}  // namespace

Rect LensPanel::cell(std::int64_t key) const {
  const std::int64_t i = key - keys.begin;
  const Vec2 corner = first_cell + Vec2{static_cast<float>(i % per_row) * cell_width,
                                        static_cast<float>(i / per_row) * cell_height};
  return rect_at(corner, cell_width, cell_height);
}

std::vector<LensPanel> layout_lens(const LensRequest& request, const Columns& columns) {
  const float F = columns.F();
  // As wide as the columns, but wide enough for words where those are few.
  const float most = request.area.x1 - 3 * spacing_unit(F);
  const float x1 = std::min(most, std::max(columns.right(), columns.gutter_left() + 36 * F));
  const Rect row{columns.gutter_left(), request.area.y0, x1, request.area.y1 - scaled_px(F, kFoot)};
  const float half = std::floor((row.width() - scaled_px(F, kGap)) / 2);
  if (!request.tile_b) {  // under its column, as far as the row goes
    const float center = columns.center(columns.order().of_tile(request.tile_a));
    const float x0 = std::clamp(std::floor(center - half / 2), row.x0, row.x1 - half);
    return {layout_panel(rect_at({x0, row.y0}, half, row.height()), request.tile_a, request, columns)};
  }
  return {layout_panel(row.left(half), request.tile_a, request, columns),
          layout_panel(row.right(half), *request.tile_b, request, columns)};
}

}  // namespace fdlab

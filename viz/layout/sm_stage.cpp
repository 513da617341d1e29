#include "viz/layout/sm_stage.h"

#include "viz/layout/columns.h"

namespace fdlab {
namespace {

constexpr float kBoardShare = 0.58f;                                          // of the width
constexpr float kBoardsShare = 0.46f;                                         // of the height
constexpr float kLeastPitch = 0.78f, kMostPitch = 1.5f, kMostPitchOfFew = 3;  // in F
constexpr std::int64_t kFewSms = 16, kRows = 6, kMostSlotColumns = 4;
constexpr int kMostTimeTicks = 5;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t rows_of(std::int64_t sms) { return sms <= 4 ? 1 : sms <= kFewSms ? 2 : kRows; }

SmBoard board_of(const SmStageRequest& request, float width) {
  SmBoard board;
  board.sms = request.sms;
  board.rows = rows_of(request.sms);
  board.columns = divide_up(request.sms, board.rows);
  const float by_width = kBoardShare * width / static_cast<float>(board.columns);
  const float by_height = kBoardsShare * request.area.height() / static_cast<float>(2 * board.rows);
  const float most = (request.sms <= kFewSms ? kMostPitchOfFew : kMostPitch) * request.F;
  board.pitch = std::floor(std::clamp(std::min(by_width, by_height), kLeastPitch * request.F, most));
  return board;
}

}  // namespace

Rect SmBoard::cell(std::int64_t sm) const {
  const float x = area.x0 + pitch * static_cast<float>(sm % columns);
  const float y = area.y0 + pitch * static_cast<float>(sm / columns);
  return {x, y, x + pitch, y + pitch};
}

Rect SmBoard::slot(std::int64_t sm, std::int64_t slot, std::int64_t slots) const {
  const Rect whole = cell(sm),
             inner{whole.x0 + 1, whole.y0 + 1, whole.x1, whole.y1};  // behind the grid's lines
  const std::int64_t across = std::min(slots, kMostSlotColumns), down = divide_up(slots, across);
  const std::int64_t column = slot % across, row = slot / across;
  const auto edge = [](float from, float length, std::int64_t i, std::int64_t n) {
    return std::round(from + length * static_cast<float>(i) / static_cast<float>(n));
  };
  const float gap_x = column + 1 < across ? 1 : 0, gap_y = row + 1 < down ? 1 : 0;
  return {edge(inner.x0, inner.width(), column, across), edge(inner.y0, inner.height(), row, down),
          edge(inner.x0, inner.width(), column + 1, across) - gap_x,
          edge(inner.y0, inner.height(), row + 1, down) - gap_y};
}

std::int64_t SmBoard::sm_at(Vec2 p) const {
  if (!area.contains(p)) return -1;
  const auto column = static_cast<std::int64_t>((p.x - area.x0) / pitch);
  const std::int64_t sm = static_cast<std::int64_t>((p.y - area.y0) / pitch) * columns + column;
  return column < columns && sm < sms ? sm : -1;
}

Rect SmLanes::row(std::int64_t place) const {
  const auto edge = [&](std::int64_t i) {
    return std::round(area.y0 + area.height() * static_cast<float>(i) / static_cast<float>(sms));
  };
  return {area.x0, edge(place), area.x1, edge(place + 1)};
}

std::int64_t SmLanes::place_at(float y) const {
  const auto place = static_cast<std::int64_t>((y - area.y0) / area.height() * static_cast<float>(sms));
  return std::clamp<std::int64_t>(place, 0, sms - 1);
}

SmStageLayout layout_sm_stage(const SmStageRequest& request) {
  const float F = request.F, u = spacing_unit(F);
  SmStageLayout layout;
  Cutter cut{request.area.shrunk(3 * u, 0)};
  cut.top(u);
  layout.title = cut.top(std::round(1.7f * F));

  SmBoard board = board_of(request, cut.rest.width());
  const float board_width = board.pitch * static_cast<float>(board.columns);
  const float board_height = board.pitch * static_cast<float>(board.rows);
  const float left = cut.rest.x0, right = cut.rest.x1;
  const float lanes_x = std::round(left + std::max(board_width, kBoardShare * cut.rest.width()) + 4 * u);
  for (SmGridLayout& grid : layout.grids) {
    grid.head = cut.top(std::round(1.75f * F));
    const Rect row = cut.top(board_height);
    board.area = {left, row.y0, left + board_width, row.y1};
    grid.board = board;
    grid.lanes = {{lanes_x, row.y0, right, row.y1}, request.sms};
    cut.top(u);
  }
  const Rect under = cut.top(std::round(1.05f * F));
  layout.legend = {left, under.y0, lanes_x - 4 * u, under.y1};
  layout.time_labels = {lanes_x, under.y0, right, under.y1};

  cut.top(u);
  cut.bottom(u);
  layout.sweep = {left, cut.rest.y0, lanes_x - 6 * u, cut.rest.y1};
  const float half = std::floor((cut.rest.height() - u) / 2);
  layout.curves[0] = {lanes_x, cut.rest.y0, right, cut.rest.y0 + half};
  layout.curves[1] = {lanes_x, cut.rest.y1 - half, right, cut.rest.y1};
  layout.time = axis_from_zero(request.end_us, kMostTimeTicks, lanes_x, right);
  return layout;
}

}  // namespace fdlab

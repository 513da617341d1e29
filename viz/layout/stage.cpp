#include "viz/layout/stage.h"

#include <algorithm>

namespace fdlab {
namespace {

// Heights at 100 %.
constexpr float kTitle = 54, kOverview = 22, kStrip = 116, kLens = 170;
constexpr float kRow = 22, kValueRows = 2, kOutputRow = 40;
constexpr float kFirstFork = 62, kNode = 28, kPitch = 60, kTightPitch = 44, kLoosePitch = 80;
constexpr float kDigit = 0.555f / 1.448f;  // advance of a figure, in F
constexpr float kPoint = 0.3f / 1.448f;

bool has_overview(const Columns& columns) { return columns.scrolls(); }

float card_height(float F, bool keeps_m_and_l, bool has_S_row, bool has_o_row) {
  const float rows = 1 + (keeps_m_and_l ? kValueRows : 0) + (has_S_row ? 1 : 0);
  return scaled_px(F, rows * kRow + (has_o_row ? kOutputRow : kRow / 4));
}

}  // namespace

bool fits_number(float width, float F, int characters_before_point, int decimals) {
  const float digits = static_cast<float>(characters_before_point + decimals) * kDigit;
  return width >= (digits + (decimals > 0 ? kPoint : 0) + 0.3f) * F;
}

std::int64_t merge_levels(const SlotOrder& order, const MergeTree& tree) {
  const std::int64_t folds = order.is_one_tile_per_stream() ? 0 : 1;
  switch (order.plan().merge) {
    case MergeOrder::sequential: return folds + std::min<std::int64_t>(1, tree.num_merges());
    case MergeOrder::tree: return folds + tree.num_levels();
    case MergeOrder::two_step: return folds + (tree.leaves() > 1 ? 2 : 1);
    case MergeOrder::flat: return folds + (tree.leaves() > 1 ? 1 : 0);
  }
  return folds;
}

float merges_height(float F, std::int64_t levels, float pitch) {
  if (levels == 0) return 0;
  return scaled_px(F, kFirstFork) + scaled_px(F, kNode) + static_cast<float>(levels - 1) * pitch;
}

StageLayout layout_stage(const StageRequest& request, const SlotOrder& order, const MergeTree& tree) {
  const float F = request.F, margin = 3 * spacing_unit(F);
  const auto px = [&](float at_100_percent) { return scaled_px(F, at_100_percent); };
  StageLayout stage;

  // Width: decimals first, then S, then the row names.
  const auto fits = [&] {
    const float width = layout_columns(request, stage, order).width();
    return fits_number(width, F, request.characters_before_point, stage.decimals);
  };
  while (!fits() && stage.decimals > 1) --stage.decimals;
  if (!fits()) stage.has_S_row = !request.keeps_m_and_l;
  if (!fits()) stage.has_gutter = false;

  // Height: lens, title, pitch of the tree, o.
  const float overview = has_overview(layout_columns(request, stage, order)) ? px(kOverview) : 0;
  const std::int64_t levels = merge_levels(order, tree);
  bool has_lens = request.has_tokens, has_title = true;
  float pitch = px(kPitch);
  const auto needed = [&] {
    return (has_title ? px(kTitle) : margin) + overview + px(kStrip) + (has_lens ? px(kLens) : 0) +
           card_height(F, request.keeps_m_and_l, stage.has_S_row, stage.has_o_row) +
           merges_height(F, levels, pitch) + margin / 2;
  };
  const float height = request.area.height();
  if (needed() > height) has_lens = false;
  if (needed() > height) has_title = false;
  if (needed() > height) pitch = px(kTightPitch);
  if (needed() > height) stage.has_o_row = false;
  if (levels > 1 && pitch >= px(kPitch)) {
    const float spare = std::max(0.0f, height - needed()) / static_cast<float>(levels - 1);
    pitch = std::min(px(kLoosePitch), pitch + std::floor(spare));
  }
  stage.level_pitch = pitch;

  Cutter cut{request.area};
  if (has_title) stage.title = cut.top(px(kTitle));
  else cut.top(margin);
  stage.overview = cut.top(overview);
  stage.strip = cut.top(px(kStrip));
  if (has_lens) stage.lens = cut.top(px(kLens));
  stage.cards = cut.top(card_height(F, request.keeps_m_and_l, stage.has_S_row, stage.has_o_row));
  stage.merges = cut.rest;
  return stage;
}

Columns layout_columns(const StageRequest& request, const StageLayout& stage, const SlotOrder& order) {
  return Columns(order, {request.area.x0, request.area.x1, request.F, stage.has_gutter, request.focus_slot});
}

CardRows layout_card(Rect card, const StageLayout& stage, float F, bool keeps_m_and_l) {
  Cutter cut{card};
  const float row = scaled_px(F, kRow);
  CardRows rows;
  rows.number = cut.top(row);
  if (keeps_m_and_l) {
    rows.m = cut.top(row);
    rows.l = cut.top(row);
  }
  if (stage.has_S_row) rows.S = cut.top(row);
  if (stage.has_o_row) rows.o = cut.rest;
  return rows;
}

}  // namespace fdlab

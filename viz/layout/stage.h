// The rows of the stage from top to bottom: title, strip, lens, cards, merges; and what is given up, in a fixed
// order, when there is too little height or width for all of them. Text never shrinks.
#pragma once

#include "core/plan/merge_tree.h"
#include "viz/layout/columns.h"
#include "viz/rect.h"

namespace fdlab {

struct StageRequest {
  Rect area;
  float F = 22;
  bool has_tokens = true;           ///< there is text for the lens
  bool keeps_m_and_l = true;        ///< the method's partials have m and l beside S
  int characters_before_point = 3;  ///< of the widest value, its sign included
  std::int64_t focus_slot = 0;
};

struct StageLayout {
  Rect title;     ///< empty: given up
  Rect overview;  ///< the whole row of keys, when the columns below are a part of it; else empty
  Rect strip;
  Rect lens;  ///< empty: given up
  Rect cards;
  Rect merges;  ///< the rest

  float level_pitch = 60;  ///< from one level of the merge tree to the next
  int decimals = 3;        ///< of the values on cards and nodes
  bool has_S_row = true;
  bool has_o_row = true;
  bool has_gutter = true;
};

/// Levels that the merges of a plan take below the cards: in-stream folds, then the merge order's own.
std::int64_t merge_levels(const SlotOrder& order, const MergeTree& tree);
/// Height of the merges at a level pitch of `pitch`, from the cards' lower edge.
float merges_height(float F, std::int64_t levels, float pitch);

StageLayout layout_stage(const StageRequest& request, const SlotOrder& order, const MergeTree& tree);
/// The columns that go with it.
Columns layout_columns(const StageRequest& request, const StageLayout& stage, const SlotOrder& order);

/// Rows of a tile card, from its top.
struct CardRows {
  Rect number, m, l, S, o;  ///< empty where there is none
};
CardRows layout_card(Rect card, const StageLayout& stage, float F, bool keeps_m_and_l);

/// Characters of tabular figures that fit a box of this width, the point counted as half a character.
bool fits_number(float width, float F, int characters_before_point, int decimals);

}  // namespace fdlab

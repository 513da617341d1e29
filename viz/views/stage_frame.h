// All that the views of the stage share in one frame: the trace at the present step, and where everything stands.
#pragma once

#include "viz/layout/merges.h"
#include "viz/layout/progress.h"
#include "viz/layout/stage.h"
#include "viz/scene.h"
#include "viz/ui.h"

namespace fdlab {

struct StageFrame {
  StageFrame(const Ui& ui, const AppState& state, const Scene& scene, Rect area);
  StageFrame(const StageFrame&) = delete;
  StageFrame& operator=(const StageFrame&) = delete;

  const Scene& scene;
  const Trace& trace;
  SlotOrder order;
  StageProgress progress;
  /// Whose two sides are called a and b: the present step's, or while a stop asks, those of the step it asks about.
  StageProgress named;
  StepDetail detail;  ///< of the present step
  StageRequest request;
  StageLayout rows;
  Columns columns;
  /// What the stop speaks of, while its own step is shown.
  std::vector<Referent> highlights;

  bool is_highlighted(Referent::Kind kind, std::int64_t index) const;

  const DecodePlan& plan() const { return trace.plan(); }
  bool keeps_m_and_l() const { return request.keeps_m_and_l; }

  /// A column and half the gap on either side of it.
  Rect column_band(std::int64_t slot, float y0, float y1) const;
  Rect card(std::int64_t slot) const { return columns.column(slot, rows.cards.y0, rows.cards.y1); }

  /// Rows of the strip.
  Rect score_row() const;
  Rect weight_row() const;  ///< ends at the baseline of the weights
  float strip_foot() const;

  /// √(share / largest): the scale of the weight map and of the weight bars.
  float weight_place(float share) const;

  /// "a", "b" or nothing.
  static const char* name_of(Side side);
  /// The link of a statistic of a side: "m-a" beside a, "m" of what the step makes.
  static std::string link_of(const char* statistic, Side side);
};

/// The frame of what the stop speaks of. `name` enters the dump as "highlight.NAME".
void draw_highlight(Ui& ui, Rect r, const std::string& name);

void draw_title(Ui& ui, const StageFrame& frame);
void draw_overview(Ui& ui, const StageFrame& frame);
void draw_strip(Ui& ui, const StageFrame& frame);
void draw_lens(Ui& ui, const StageFrame& frame);
void draw_cards(Ui& ui, const StageFrame& frame);
void draw_merges(Ui& ui, const StageFrame& frame);

}  // namespace fdlab

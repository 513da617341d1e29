// All that the views of a GPU scene share in one frame: its two launches at the present moment, and where everything stands.
#pragma once

#include "viz/layout/sm_blocks.h"
#include "viz/layout/sm_stage.h"
#include "viz/scene.h"
#include "viz/ui.h"

namespace fdlab {

/// One of the two launches.
struct SmGridFrame {
  const GpuGrid& grid;
  const SmGridLayout& place;
  char letter;
  bool is_recorded;  ///< board and lanes show the recording
  bool is_known;     ///< its time may be shown: it is done, or no question is open
  std::vector<SmBlock> blocks;
  std::vector<std::int32_t> sm_of_lane;
  std::vector<std::int64_t> lane_of_sm;
  LaunchMoment moment;  ///< of the model
  SmLoad load;          ///< of what is shown

  /// "36.9", or what has passed while the answer is not to be seen.
  double shown_us(double call_us) const { return is_known ? grid.schedule.time_us : call_us; }
};

struct SmFrame {
  SmFrame(const Ui& ui, const AppState& state, const Scene& scene, Rect area);
  SmFrame(const SmFrame&) = delete;
  SmFrame& operator=(const SmFrame&) = delete;

  const GpuScene& scene;
  double call_us;  ///< now
  bool has_open_question;
  SmStageLayout layout;
  SmGridFrame a, b;
  float playhead;  ///< x

  std::int64_t slots() const { return scene.b.schedule.split.blocks_per_sm; }
  /// What is not known yet ends at the playhead.
  double seen_until_us() const { return has_open_question ? call_us : layout.time.high; }
};

/// The colour of a block is that of its KV head.
Color color_of(const Ui& ui, const SmFrame& frame, const SmBlock& block);
inline constexpr std::int64_t kHatchedFrom =
    kCategories;  ///< heads from here on repeat colours, with a hatch

void draw_sm_board(Ui& ui, const SmFrame& frame, const SmGridFrame& grid);
void draw_sm_lanes(Ui& ui, const SmFrame& frame, const SmGridFrame& grid);
void draw_sm_lane_notes(Ui& ui, const SmFrame& frame, const SmGridFrame& grid);
void draw_sm_curves(Ui& ui, const SmFrame& frame);
void draw_sweep(Ui& ui, const SmFrame& frame);

/// The head of the panel beside the stage; returns its height.
float draw_gpu_controls(Ui& ui, const Scene& scene, Rect column);

/// Is a question asked here whose answer the picture must not give away?
bool has_open_question(const AppState& state, const Scene& scene);

/// Words under which the playhead stops: it does not strike them out.
void text_over_playhead(Ui& ui, const SmFrame& frame, Rect box, const std::string& text,
                        const TextStyle& style, Role behind);

/// "○ model" or "● NVIDIA H200, 2026-11-30", right-aligned; returns its width.
float draw_badge(Ui& ui, Rect box, const MeasuredLaunch* measured, std::string_view id,
                 Align align = Align::right);

}  // namespace fdlab

// What the frame asks of the views: each draws one zone. Defined in views/.
#pragma once

#include "viz/ui.h"

namespace fdlab {

struct Scene;  ///< the open lesson, its data and the trace of the present head: viz/scene.h

/// Strip, lens, tile cards and merge tree, one pixel grid of columns. `area` may be higher than the zone when
/// it scrolls.
void draw_stage(Ui& ui, const AppState& state, const Scene& scene, Rect area);
/// The present step: rule, numbers, before → after. Returns the height its content takes (the caller scrolls
/// it).
float draw_inspector(Ui& ui, const AppState& state, const Scene& scene, Rect area);
/// Transcript sentence, buttons, step field, speed, track. One line when `area` is lower than 3 F.
void draw_transport(Ui& ui, const AppState& state, const Scene& scene, Rect area);

// The same for a scene that is a GPU: boards, lanes and curves; controls and tables; the time of the call.
void draw_gpu_stage(Ui& ui, const AppState& state, const Scene& scene, Rect area);
float draw_gpu_inspector(Ui& ui, const AppState& state, const Scene& scene, Rect area);
void draw_gpu_transport(Ui& ui, const AppState& state, const Scene& scene, Rect area);

}  // namespace fdlab

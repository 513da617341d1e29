// The controls of a GPU scene: what a command makes of the scene that is asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "lessons/gpu_scene_spec.h"
#include "viz/commands.h"

namespace fdlab {

/// Nothing where the command is not one of these. `splits`: of B now, whether asked for or taken by the rule.
std::optional<GpuSceneSpec> apply_control(const GpuSceneSpec& spec, const Command& command,
                                          std::int64_t splits);

}  // namespace fdlab

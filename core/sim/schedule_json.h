// Schedules for other programs: `fdlab-schedule` JSON (core/sim/FORMATS.md) and Chrome trace events for Perfetto.
#pragma once

#include <string>

#include "core/sim/schedule.h"

namespace fdlab {

inline constexpr int kScheduleVersion = 1;

std::string to_json(const Schedule& schedule);

/// One track per slot of an SM in use, one for bandwidth, one for SMs with work. Opens at ui.perfetto.dev.
std::string to_perfetto(const Schedule& schedule);

}  // namespace fdlab

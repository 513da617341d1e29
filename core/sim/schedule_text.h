// A schedule drawn with characters: the SM board at one moment, and lanes over time. No colour is needed to read them.
#pragma once

#include <string>
#include <vector>

#include "core/sim/schedule.h"

namespace fdlab {

/// Every SM a cell: the head of its first block and, behind a point, how many blocks it holds if more than one; a middle
/// dot where it has none. As many cells a line as fit `columns` (at least one).
std::vector<std::string> sm_board(const Schedule& schedule, double time_us, int columns);

/// SMs over time: a line holds neighbours of the launch order, a character is one moment; its height says which share of
/// the line's SMs have work. A second group shows the bandwidth as a share of the ceiling. At most `lines` lines of lanes.
std::vector<std::string> sm_lanes(const Schedule& schedule, int columns, int lines);

}  // namespace fdlab

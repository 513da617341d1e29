// The simulator's own data files (core/sim/data), built into the library.
#pragma once

#include <span>
#include <string_view>

namespace fdlab {

struct DataFile {
  std::string_view name;  ///< "gpus/h200.toml"
  std::string_view text;
};

std::span<const DataFile> sim_data();

/// The text of a file that is known to be there.
std::string_view sim_data_text(std::string_view name);

}  // namespace fdlab

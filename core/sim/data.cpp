#include "core/sim/data.h"

#include <stdexcept>
#include <string>

namespace fdlab {

std::string_view sim_data_text(std::string_view name) {
  for (const DataFile& file : sim_data())
    if (file.name == name) return file.text;
  throw std::logic_error("no built-in data file " + std::string(name));
}

}  // namespace fdlab

# Turns core/sim/data into a source file, so that the library finds its data wherever it is.
file(GLOB_RECURSE sim_data_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/sim/data sim/data/*.toml)
set(sim_data_entries "")
foreach(name IN LISTS sim_data_files)
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/sim/data/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  string(APPEND sim_data_entries "    {\"${name}\", R\"fdlab(${text})fdlab\"},\n")
endforeach()
file(CONFIGURE OUTPUT sim_data.cpp @ONLY CONTENT [[
#include "core/sim/data.h"

namespace fdlab {

std::span<const DataFile> sim_data() {
  static constexpr DataFile kFiles[] = {
@sim_data_entries@  };
  return kFiles;
}

}  // namespace fdlab
]])
target_sources(fdlab_core PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/sim_data.cpp)

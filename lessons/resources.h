// Where the program's own files lie: FDLAB_DATA if it is set, else share/fdlab beside the program's folder, else the
// source tree this program was built from.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/io/result.h"

namespace fdlab {

/// name: "lessons" or "fonts", a folder under share/fdlab; source_folder: the same in the source tree. The fault lists
/// where it was looked for.
Result<std::filesystem::path> find_resource(std::string_view name, std::string_view source_folder);

/// The folder with the lessons and their data.
inline Result<std::filesystem::path> find_lessons_folder() { return find_resource("lessons", "lessons"); }

}  // namespace fdlab

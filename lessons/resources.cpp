#include "lessons/resources.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace fdlab {

Result<std::filesystem::path> find_resource(std::string_view name, std::string_view source_folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (const char* data = std::getenv("FDLAB_DATA"); data && *data) {
    const fs::path folder = fs::path(data) / name;
    if (fs::is_directory(folder, error)) return folder;
    return Fault{fmt::format("expected the folder {} (FDLAB_DATA is set), found none", folder.string())};
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const std::vector<fs::path> places{program.parent_path().parent_path() / "share" / "fdlab" / name,
                                     fs::path(FDLAB_SOURCE_ROOT) / source_folder};
  for (const fs::path& folder : places)
    if (fs::is_directory(folder, error)) return folder;
  return Fault{
      fmt::format("expected the folder {} at {} or {}, found neither; FDLAB_DATA may name another place",
                  name, places[0].string(), places[1].string())};
}

}  // namespace fdlab

#include "lessons/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace fdlab {

Result<std::string> read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Fault{fmt::format("{}: expected a file, found a folder", path.string())};
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Fault{fmt::format("{}: expected a readable file, found: {}", path.string(), std::strerror(errno))};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace fdlab

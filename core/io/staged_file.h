// Output files are written whole or not at all: first beside their place, without a name where the file system can, then
// renamed into it. A program that is killed meanwhile leaves nothing there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

/// Where an output's path leads once its last component is no symbolic link any more; nothing need be there yet.
std::filesystem::path output_place(const std::string& path);

/// A file that is written but not yet in its place. Several outputs are all staged before the first is committed,
/// so that a full disk leaves none of them behind.
class StagedFile {
 public:
  /// Writes the pieces one after another beside `path`. Symbolic links are followed; anything but a regular file
  /// in that place is refused.
  static Result<StagedFile> write(const std::string& path,
                                  const std::vector<std::span<const std::byte>>& pieces);

  /// Moves the file into its place.
  std::optional<Fault> commit();

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&& other) noexcept;
  ~StagedFile();  ///< removes what was not committed

 private:
  StagedFile(std::string temporary, std::string place);
  int fd_ = -1;
  bool has_name_ = false;  ///< the file stands at temporary_
  std::string temporary_, place_;
};

}  // namespace fdlab

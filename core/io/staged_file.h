// Output files are written whole or not at all: first beside their place under a temporary name, then renamed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

/// A file that is written but not yet in its place. Several outputs are all staged before the first is committed,
/// so that a full disk leaves none of them behind.
class StagedFile {
 public:
  /// Writes the pieces one after another beside `path`. A symbolic link is followed; anything but a regular file
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
  std::string temporary_, place_;
};

}  // namespace fdlab

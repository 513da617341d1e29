// A file's bytes, mapped read-only: nothing is copied, and a file larger than the memory can be read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/io/result.h"

namespace fdlab {

struct MappedFile {
  std::shared_ptr<const std::byte> data;  ///< unmapped when the last copy goes
  std::size_t size = 0;

  std::span<const std::byte> bytes() const { return {data.get(), size}; }
};

/// Refuses what cannot be opened and what is no regular file.
Result<MappedFile> map_file(const std::string& path);

}  // namespace fdlab

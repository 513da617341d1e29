#include "core/io/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/io/printable.h"

namespace fdlab {
namespace {

Fault cannot_write(const std::string& path, const std::string& reason) {
  return {fmt::format("{}: expected to write here, found: {}", printable(path), reason)};
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Where the path leads once symbolic links are followed.
std::filesystem::path resolve(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? std::filesystem::path(path) : target;
}

}  // namespace

Result<StagedFile> StagedFile::write(const std::string& path,
                                     const std::vector<std::span<const std::byte>>& pieces) {
  const std::filesystem::path place = resolve(path);
  std::error_code error;
  if (std::filesystem::exists(place, error) && !std::filesystem::is_regular_file(place, error))
    return cannot_write(path,
                        std::filesystem::is_directory(place, error) ? "a directory" : "no regular file");

  const std::filesystem::path temporary =
      place.parent_path() / fmt::format(".fdlab-{}-{}", getpid(), place.filename().native().substr(0, 64));
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return cannot_write(path, std::strerror(errno));
  StagedFile staged(temporary, place);
  for (const auto& piece : pieces) {
    if (write_all(fd, piece)) continue;
    const int reason = errno;
    close(fd);
    return cannot_write(path, std::strerror(reason));
  }
  if (close(fd) != 0) return cannot_write(path, std::strerror(errno));
  return staged;
}

std::optional<Fault> StagedFile::commit() {
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) return cannot_write(place_, std::strerror(errno));
  temporary_.clear();
  return std::nullopt;
}

StagedFile::StagedFile(std::string temporary, std::string place)
    : temporary_(std::move(temporary)), place_(std::move(place)) {}
StagedFile::StagedFile(StagedFile&& other) noexcept
    : temporary_(std::exchange(other.temporary_, "")), place_(std::move(other.place_)) {}
StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
  std::swap(temporary_, other.temporary_);
  std::swap(place_, other.place_);
  return *this;
}
StagedFile::~StagedFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

}  // namespace fdlab

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

constexpr int kMostLinks = 40;  // in a row; more are a circle

/// An open file without a name, which is gone if the program ends; −1 where the file system knows none such.
int open_nameless(const std::string& folder) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;  // it gets its name through there
  return open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

int give_name(int fd, const std::string& name) {
  unlink(name.c_str());
  return linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str(), AT_FDCWD, name.c_str(),
                AT_SYMLINK_FOLLOW);
}

}  // namespace

std::filesystem::path output_place(const std::string& path) {
  std::error_code error;
  std::filesystem::path place(path);
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(place, error); ++i)
    place = place.parent_path() / std::filesystem::read_symlink(place, error);
  return place;
}

Result<StagedFile> StagedFile::write(const std::string& path,
                                     const std::vector<std::span<const std::byte>>& pieces) {
  const std::filesystem::path place = output_place(path);
  std::error_code error;
  if (std::filesystem::is_symlink(place, error)) return cannot_write(path, std::strerror(ELOOP));
  if (std::filesystem::exists(place, error) && !std::filesystem::is_regular_file(place, error))
    return cannot_write(path,
                        std::filesystem::is_directory(place, error) ? "a directory" : "no regular file");

  const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : ".";
  const std::filesystem::path temporary =
      folder / fmt::format(".fdlab-{}-{}", getpid(), place.filename().native().substr(0, 64));
  StagedFile staged(temporary, place);
  staged.fd_ = open_nameless(folder);
  if (staged.fd_ < 0) {
    staged.fd_ = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    staged.has_name_ = staged.fd_ >= 0;
  }
  if (staged.fd_ < 0) return cannot_write(path, std::strerror(errno));
  for (const auto& piece : pieces)
    if (!write_all(staged.fd_, piece)) return cannot_write(path, std::strerror(errno));
  return staged;
}

std::optional<Fault> StagedFile::commit() {
  if (!has_name_ && give_name(fd_, temporary_) != 0) return cannot_write(place_, std::strerror(errno));
  has_name_ = true;
  if (close(std::exchange(fd_, -1)) != 0 || std::rename(temporary_.c_str(), place_.c_str()) != 0)
    return cannot_write(place_, std::strerror(errno));
  has_name_ = false;
  return std::nullopt;
}

StagedFile::StagedFile(std::string temporary, std::string place)
    : temporary_(std::move(temporary)), place_(std::move(place)) {}
StagedFile::StagedFile(StagedFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      has_name_(std::exchange(other.has_name_, false)),
      temporary_(std::move(other.temporary_)),
      place_(std::move(other.place_)) {}
StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(has_name_, other.has_name_);
  std::swap(temporary_, other.temporary_);
  std::swap(place_, other.place_);
  return *this;
}
StagedFile::~StagedFile() {
  if (fd_ >= 0) close(fd_);
  if (has_name_) unlink(temporary_.c_str());
}

}  // namespace fdlab

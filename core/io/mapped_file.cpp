#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/io/printable.h"

namespace fdlab {
namespace {

Fault cannot_read(const std::string& path, const std::string& reason) {
  return {fmt::format("{}: expected a readable file, found: {}", printable(path), reason)};
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

Result<MappedFile> map_file(const std::string& path) {
  // Not blocking, so that a pipe nobody writes to is refused instead of waited for.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return cannot_read(path, std::strerror(errno));
  struct stat status {};
  if (fstat(file.fd, &status) != 0) return cannot_read(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return cannot_read(path, "a directory");
  if (!S_ISREG(status.st_mode)) return cannot_read(path, "no regular file");

  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile{};
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapped == MAP_FAILED) return cannot_read(path, std::strerror(errno));
  const auto unmap = [size](const std::byte* data) { munmap(const_cast<std::byte*>(data), size); };
  return MappedFile{std::shared_ptr<const std::byte>(static_cast<const std::byte*>(mapped), unmap), size};
}

}  // namespace fdlab

#include "core/io/staged_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "tests/run_program.h"

using namespace fdlab;
namespace fs = std::filesystem;

namespace {

Result<StagedFile> stage(const std::string& path, std::string_view text) {
  return StagedFile::write(path, {std::as_bytes(std::span(text))});
}
void write(const std::string& path, std::string_view text) {
  auto staged = stage(path, text);
  REQUIRE_MESSAGE(staged, (staged ? "" : staged.fault().sentence));
  REQUIRE_FALSE(staged->commit());
}
auto count_files(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder / ""), {});
}

}  // namespace

TEST_CASE("a file is there whole once it is committed, and nothing of it before") {
  const TemporaryFolder folder;
  auto staged = stage(folder / "a", "first");
  REQUIRE(staged);
  CHECK_FALSE(fs::exists(folder / "a"));
  CHECK_FALSE(staged->commit());
  CHECK(text_of_file(folder / "a") == "first");
  write(folder / "a", "second");
  CHECK(text_of_file(folder / "a") == "second");
  { const auto dropped = stage(folder / "a", "third"); }
  CHECK(text_of_file(folder / "a") == "second");
  CHECK(count_files(folder) == 1);
}

TEST_CASE("a process that is killed while it writes leaves nothing behind") {
  const TemporaryFolder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto staged = stage(folder / "a", "half");
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(count_files(folder) == 0);
}

TEST_CASE("links are followed, those to nothing yet as well, and a circle of them is refused") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "inner");
  fs::create_symlink("inner/target", folder / "link");
  fs::create_symlink("link", folder / "link-to-link");
  write(folder / "link-to-link", "one");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "link-to-link"));
  CHECK(text_of_file(folder / "inner/target") == "one");
  write(folder / "link", "two");
  CHECK(text_of_file(folder / "inner/target") == "two");
  CHECK(output_place(folder / "link-to-link") == fs::path(folder / "inner/target"));

  fs::create_symlink("none/target", folder / "astray");
  CHECK(stage(folder / "astray", "x").fault().sentence.find("No such file") != std::string::npos);
  fs::create_symlink("circle-b", folder / "circle-a");
  fs::create_symlink("circle-a", folder / "circle-b");
  CHECK(stage(folder / "circle-a", "x").fault().sentence.find("levels of symbolic links") !=
        std::string::npos);
}

// A copy of lesson 1 that a test may break.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "tests/first_lesson.h"
#include "tests/run_program.h"
#include "tests/temporary_folder.h"

namespace fdlab {

class LessonCopy {
 public:
  LessonCopy() {
    std::filesystem::copy(kFirstLessonFolder, path(), std::filesystem::copy_options::recursive);
  }
  std::filesystem::path path() const { return folder_ / "01-broken"; }

  /// Replaces the first place where `old_text` stands; it must stand somewhere.
  void replace(const std::string& file, const std::string& old_text, const std::string& new_text) {
    std::string text = text_of_file(path() / file);
    const std::size_t at = text.find(old_text);
    INFO(file, ": ", old_text);
    REQUIRE(at != std::string::npos);
    write(file, text.replace(at, old_text.size(), new_text));
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(path() / file, std::ios::binary) << text;
  }
  void remove(const std::string& file) { REQUIRE(std::filesystem::remove(path() / file)); }

 private:
  TemporaryFolder folder_;
};

}  // namespace fdlab

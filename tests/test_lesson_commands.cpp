// fdlab lesson as a person calls it.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lessons/unicode.h"
#include "tests/run_program.h"

using namespace fdlab;

TEST_CASE("lesson list names every lesson in either language") {
  const ProgramRun en = run_fdlab({"lesson", "list", "--lang", "en"});
  CHECK(en.exit_code == 0);
  CHECK(en.out.find("1  one-real-decode") != std::string::npos);
  CHECK(run_fdlab({"lesson", "list", "--lang", "zh"}).out.find("一次真实的解码") != std::string::npos);
}

TEST_CASE("lesson play prints every stop, its numbers filled in, within the columns") {
  setenv("COLUMNS", "72", 1);
  for (const char* language : {"en", "zh"}) {
    const ProgramRun run = run_fdlab({"lesson", "play", "one-real-decode", "--lang", language});
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(run.out.find("0.7475") != std::string::npos);
    CHECK(run.out.find('{') == std::string::npos);
    CHECK(run.out.find('\\') == std::string::npos);
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(display_width(line) <= 72);
    }
  }
  unsetenv("COLUMNS");
}

TEST_CASE("lesson play follows another head") {
  const ProgramRun run = run_fdlab({"lesson", "play", "1", "--head", "4", "--lang", "en"});
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("query head 4 of 8") != std::string::npos);
  CHECK(run.out.find("0.7475") == std::string::npos);
}

TEST_CASE("lesson play names device and date wherever something was measured") {
  for (const char* language : {"en", "zh"}) {
    const ProgramRun run = run_fdlab({"lesson", "play", "2", "--lang", language});
    CHECK(run.exit_code == 0);
    CHECK(run.out.find(language == std::string("en") ? "(measured: NVIDIA H200, driver "
                                                     : "（实测：NVIDIA H200, driver ") != std::string::npos);
  }
}

TEST_CASE("lesson tell says one step") {
  const ProgramRun run = run_fdlab({"lesson", "tell", "one-real-decode", "--step", "362", "--lang", "en"});
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("Tile 8 meets tile 9. "));
  CHECK(run_fdlab({"lesson", "tell", "one-real-decode", "--step", "at_merge(4)", "--lang", "en"}).out ==
        run.out);
}

TEST_CASE("lesson check finds nothing in our lessons") {
  CHECK(run_fdlab({"lesson", "check"}).exit_code == 0);
  for (const char* name : {"one-real-decode", "01-one-real-decode", "1"})
    CHECK(run_fdlab({"lesson", "check", name}).out == "01-one-real-decode: nothing to point at\n");
}

TEST_CASE("lesson formulas is what the renderer reads") {
  const auto list = nlohmann::json::parse(run_fdlab({"lesson", "formulas", "one-real-decode"}).out);
  CHECK(list.size() >= 20);
  for (const auto& formula : list) CHECK(formula["file"].get<std::string>().ends_with(".svg"));
}

TEST_CASE("what cannot be done is one sentence") {
  struct Row {
    std::vector<std::string> arguments;
    int exit_code;
    const char* says;
  };
  for (const Row& row : {
           Row{{"lesson"}, 2, "lesson: expected list, play, tell, check or formulas, found none"},
           Row{{"lesson", "foo"}, 2, "found 'foo'"},
           Row{{"lesson", "play"}, 2, "name"},
           Row{{"lesson", "play", "two"}, 2, "expected the name of a lesson (one-real-decode"},
           Row{{"lesson", "play", "1", "--head", "8"}, 2, "head"},
           Row{{"lesson", "play", "1", "--head", "-1"}, 2, "--head: expected a whole number from 0"},
           Row{{"lesson", "play", "1", "--lang", "de"}, 2, "--lang: expected en or zh, found 'de'"},
           Row{{"lesson", "tell", "1"}, 2, "step"},
           Row{{"lesson", "tell", "1", "--step", "369"}, 2, "expected a step from 0 to 368, found 369"},
           Row{{"lesson", "tell", "1", "--step", "1.5"}, 2, "expected a step from 0 to 368, found 1.5"},
           Row{{"lesson", "tell", "1", "--step", "-1"}, 2, "step"},
           Row{{"lesson", "tell", "1", "--step", "tile[8].m"}, 2, "expected a step"},
           Row{{"lesson", "tell", "1", "--step", "at_merge("}, 2, "character 10"},
           Row{{"lesson", "check", "two"}, 2, "expected a lesson to check"},
       }) {
    const ProgramRun run = run_fdlab(row.arguments);
    CAPTURE(run.err);
    CHECK(run.exit_code == row.exit_code);
    CHECK(run.out.empty());
    CHECK(run.err.find(row.says) != std::string::npos);
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  }
  setenv("FDLAB_DATA", "/nowhere", 1);
  CHECK(run_fdlab({"lesson", "list"}).exit_code == 3);
  unsetenv("FDLAB_DATA");
}

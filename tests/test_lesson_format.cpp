// What a lesson file may hold, and the sentence for everything else.
#include <doctest/doctest.h>

#include "tests/lesson_copy.h"

using namespace fdlab;

namespace {

struct Row {
  std::string file, old_text, new_text, says;
};

void check_refused(const Row& row) {
  CAPTURE(row.new_text);
  LessonCopy copy;
  copy.replace(row.file, row.old_text, row.new_text);
  const Result<Lesson> lesson = load_lesson(copy.path());
  REQUIRE_FALSE(bool(lesson));
  const std::string& sentence = lesson.fault().sentence;
  CAPTURE(sentence);
  CHECK(sentence.find(row.says) != std::string::npos);
  CHECK(sentence.find(row.file) != std::string::npos);
  CHECK(sentence.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("version 1 loads") {
  const Lesson& lesson = first_lesson();
  CHECK(lesson.number == 1);
  CHECK(lesson.name == "one-real-decode");
  CHECK(lesson.title.zh == "一次真实的解码");
  CHECK(lesson.stops.size() == 9);
  CHECK(std::get<SceneSpec>(lesson.scene).q_head == 6);
  CHECK(first_scene().plan.num_streams == 11);
  CHECK(first_scene().trace.steps().num_steps() == 368);
  CHECK(first_scene().data.tokens.size() == 346);
  CHECK(first_scene().data.num_layers == 5);
  CHECK(first_scene().data.licence.find("MIT") != std::string::npos);
}

TEST_CASE("lesson.toml is read strictly") {
  for (const Row& row : {
           Row{"lesson.toml", "version = 1", "version = 2", "expected version 1, found 2"},
           Row{"lesson.toml", "version = 1", "version = \"1\"", "version"},
           Row{"lesson.toml", "version = 1", "version = 1\nauthor = \"me\"", "expected no field 'author'"},
           Row{"lesson.toml", "version = 1", "version = 1\ntags = [1]", "expected no field 'tags'"},
           Row{"lesson.toml", "version = 1", "version = = 1", "line "},
           Row{"lesson.toml", "fdlab-lesson", "lesson", "expected format 'fdlab-lesson', found 'lesson'"},
           Row{"lesson.toml", "layer = 2", "layer = -1", "layer"},
           Row{"lesson.toml", "layer = 2", "layer = 2.0", "layer"},
           Row{"lesson.toml", "layer = 2", "", "layer"},
           Row{"lesson.toml", "tile_size = 32", "tile_size = 0", "tile_size"},
           Row{"lesson.toml", "tile_size = 32", "tile_size = 32\nheads = 8", "expected no field 'heads'"},
           Row{"lesson.toml", "\"stories260k\"", "\"../secret\"",
               "expected 'data' to be the name of a folder"},
           Row{"lesson.toml", "merge = \"tree\"", "merge = \"heap\"",
               "sequential, tree, two-step or flat, found 'heap'"},
           Row{"lesson.toml", "method = \"mlo\"", "method = \"best\"", "found 'best'"},
           Row{"lesson.toml", "[scene]", "[scenery]", "scene"},
           Row{"lesson.toml", "step = \"start\"", "step = \"at_key(\"",
               "stop 1: expression \"at_key(\", character 8"},
           Row{"lesson.toml", "step = \"start\"", "", "stop 1"},
           Row{"lesson.toml", "tolerance = 0.03", "tolerance = 0", "tolerance"},
           Row{"lesson.toml", "range = [0, 20]", "range = [20, 0]", "expected 'range' to be two numbers"},
           Row{"lesson.toml", "range = [0, 20]", "range = [0]", "expected 'range' to be two numbers"},
           Row{"lesson.toml", "\"now.l:3\"", "\"now.l:x\"", "expected after the colon"},
           Row{"lesson.toml", "highlight = [\"tile[0]\"]", "highlight = \"tile[0]\"", "highlight"},
           Row{"lesson.toml", "highlight = [\"tile[0]\"]", "highlight = [3]", "highlight"},
           Row{"lesson.toml", "terms = { m = \"now.m\"", "terms = { m = 1", "terms"},
       })
    check_refused(row);
}

TEST_CASE("both languages bring the stops and parts of lesson.toml") {
  for (const Row& row : {
           Row{"zh.md", "## tiles |", "## tile |", "expected stop 2 to be \"tiles\", found \"tile\""},
           Row{"zh.md", "## agreement | 同一个答案，只差舍入", "",
               "expected 9 stops, as in lesson.toml, found 8"},
           Row{"en.md", "### plain-mean", "### plain-meen", "expected a part \"### plain-mean\""},
           Row{"en.md", "### ask", "### question", "expected a part \"### ask\""},
           Row{"en.md", "## merge | Two tiles become one", "## merge", "expected \"## id | Title\""},
           Row{"en.md", "# One real decode", "", "expected a title"},
           Row{"en.md", "# One real decode", "# One real decode\nlost words", "line 2"},
           Row{"en.md", "## tiles |", "### more\nwords\n## tiles |", "gives the stop no gate"},
           Row{"en.md", "### other", "### extra\nwords\n### other", "expected 6 parts"},
       })
    check_refused(row);
}

TEST_CASE("a lesson folder that is none is refused") {
  CHECK_FALSE(load_lesson("/nowhere/01-lesson"));
  CHECK_FALSE(load_lesson(FDLAB_SOURCE_DIR));
  LessonCopy copy;
  copy.remove("zh.md");
  CHECK(load_lesson(copy.path()).fault().sentence.find("zh.md") != std::string::npos);
}

TEST_CASE("a scene that cannot be shown is refused") {
  SceneSpec spec = first_spec();
  const std::filesystem::path data = std::string(kLessonsFolder) + "/data";
  spec.q_head = 8;
  CHECK_FALSE(trace_scene(spec, data));
  spec = first_spec();
  spec.layer = 5;
  CHECK(trace_scene(spec, data).fault().sentence.find("expected a layer from 0 to 4, found 5") !=
        std::string::npos);
  spec = first_spec();
  spec.data = "nothing";
  CHECK_FALSE(trace_scene(spec, data));
  CHECK(trace_scene(first_spec(), data));
}

TEST_CASE("all layers of the data set can be shown") {
  SceneSpec spec = first_spec();
  for (spec.layer = 0; spec.layer < 5; ++spec.layer)
    CHECK(trace_scene(spec, std::string(kLessonsFolder) + "/data"));
}

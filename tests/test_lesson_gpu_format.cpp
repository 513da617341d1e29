// What lesson.toml may say of a GPU scene, and the sentence for everything else.
#include <doctest/doctest.h>

#include "lessons/lesson_toml.h"

using namespace fdlab;

namespace {

std::string lesson_with(const std::string& scene, const std::string& stop = "") {
  return "format = \"fdlab-lesson\"\nversion = 1\n[scene]\n" + scene +
         "\n[[stop]]\nid = \"only\"\nstep = \"start\"\n" + stop + "\n";
}

GpuSceneSpec scene_of(const Result<Lesson>& lesson) {
  REQUIRE_MESSAGE(lesson, (lesson ? "" : lesson.fault().sentence));
  return std::get<GpuSceneSpec>(lesson->scene);
}

}  // namespace

TEST_CASE("a GPU scene takes what it is given and leaves the rest as it is") {
  CHECK(scene_of(parse_lesson_toml(lesson_with("kind = \"gpu\""), "x")) == GpuSceneSpec{});
  const auto lesson = parse_lesson_toml(
      lesson_with("kind = \"gpu\"\ngpu = \"a100\"\nbatch = 4\nlengths = \"ragged\"\nsplits = 7",
                  "scene = { splits = 9, lengths = \"uniform\", a_batch = 3 }"),
      "x");
  const GpuSceneSpec scene = scene_of(lesson);
  CHECK(scene.gpu == "a100");
  CHECK(scene.batch == 4);
  CHECK(scene.is_ragged);
  CHECK(scene.splits == 7);
  CHECK(scene.kv_len == GpuSceneSpec{}.kv_len);
  const GpuSceneSpec& at_stop = lesson->stops[0].gpu;
  CHECK(at_stop.gpu == "a100");
  CHECK(at_stop.splits == 9);
  CHECK_FALSE(at_stop.is_ragged);
  CHECK(at_stop.a_batch == 3);
}

TEST_CASE("a GPU scene is read strictly") {
  struct Row {
    const char *scene, *stop, *says;
  };
  for (const Row& row : {
           Row{"kind = \"cpu\"", "", "expected 'kind' to be trace or gpu, found 'cpu'"},
           Row{"kind = \"gpu\"\ndata = \"stories260k\"", "", "expected no field 'data'"},
           Row{"kind = \"gpu\"\nbatch = 0", "", "batch"},
           Row{"kind = \"gpu\"\nbatch = 257", "", "batch"},
           Row{"kind = \"gpu\"\nkv_len = 1e9", "", "kv_len"},
           Row{"kind = \"gpu\"\nsplits = 0", "", "splits"},
           Row{"kind = \"gpu\"\nsplits = \"auto\"", "", "splits"},
           Row{"kind = \"gpu\"\nlengths = \"odd\"", "", "uniform or ragged, found 'odd'"},
           Row{"kind = \"gpu\"", "scene = { kind = \"gpu\" }", "expected no field 'kind'"},
           Row{"kind = \"gpu\"", "scene = { heads = 3 }", "stop 1: scene: expected no field 'heads'"},
           Row{"kind = \"gpu\"", "scene = 3", "scene"},
           Row{"data = \"d\"\nlayer = 0\nq_head = 0\ntile_size = 1\ndeal = \"balanced\"\nmerge = "
               "\"tree\"\nmethod "
               "= \"mlo\"",
               "scene = { splits = 3 }", "expected no field 'scene'"},
       }) {
    CAPTURE(row.scene);
    CAPTURE(row.stop);
    const auto lesson = parse_lesson_toml(lesson_with(row.scene, row.stop), "lesson.toml");
    REQUIRE_FALSE(lesson);
    const std::string& sentence = lesson.fault().sentence;
    CAPTURE(sentence);
    CHECK(sentence.find(row.says) != std::string::npos);
    CHECK(sentence.find("lesson.toml") != std::string::npos);
  }
}

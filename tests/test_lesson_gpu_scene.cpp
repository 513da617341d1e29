// A GPU as a lesson's scene: what it is made from, what may be named of it, and what is refused.
#include "lessons/gpu_scene.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "lessons/expression.h"
#include "lessons/gpu_transcript.h"
#include "tests/first_lesson.h"

using namespace fdlab;

namespace {

const std::vector<Recording>& recordings() {
  static const auto all = read_recordings(std::string(kLessonsFolder) + "/recordings");
  REQUIRE(all);
  return *all;
}

GpuScene scene_of(const GpuSceneSpec& spec) {
  auto scene = make_gpu_scene(spec, recordings());
  REQUIRE_MESSAGE(scene, (scene ? "" : scene.fault().sentence));
  return std::move(*scene);
}

GpuSceneSpec with_splits(std::optional<std::int64_t> splits) {
  GpuSceneSpec spec;
  spec.splits = splits;
  return spec;
}

double number(const std::string& source, const GpuScene& scene, std::int64_t step = 0) {
  const auto value = Expression::parse(source)->evaluate({scene, step});
  REQUIRE_MESSAGE(value, (value ? "" : value.fault().sentence));
  return value->number.value();
}
std::string refusal(const std::string& source, const GpuScene& scene) {
  const auto value = Expression::parse(source)->evaluate({scene, 0});
  REQUIRE_FALSE(value);
  return value.fault().sentence;
}

}  // namespace

TEST_CASE("every built-in GPU can be the scene, whatever the controls ask for") {
  for (const std::string& gpu : builtin_gpu_names())
    for (const std::int64_t extreme : {std::int64_t{-5}, std::int64_t{1} << 40}) {
      CAPTURE(gpu);
      CAPTURE(extreme);
      GpuSceneSpec spec;
      spec.gpu = gpu;
      spec.batch = spec.kv_heads = spec.group = spec.kv_len = spec.a_splits = extreme;
      spec.splits = extreme;
      spec.is_ragged = true;
      const GpuSceneSpec possible = clamped(spec);
      CHECK(possible.batch * possible.kv_heads * *possible.splits <= kMostShownBlocks);
      if (extreme > 0 && gpu != "h200") continue;  // the largest once is enough
      const GpuScene scene = scene_of(possible);
      CHECK(scene.clock.last_step >= 1);
      CHECK(scene.a.blocks() >= 1);
    }
}

TEST_CASE("no splits asked for: our rule's; a kernel that does not fit gives way") {
  CHECK(scene_of(with_splits({})).b.schedule.num_splits == 16);
  CHECK(scene_of(with_splits(5)).b.schedule.num_splits == 5);
  CHECK(scene_of({}).kernel.name == "one-kernel");
  GpuSceneSpec toy;
  toy.gpu = "classroom8";
  CHECK(scene_of(toy).kernel.name == "split");
}

TEST_CASE("ragged lengths are those of the recording, in proportion") {
  GpuSceneSpec spec;
  spec.batch = 8;
  spec.group = 4;
  spec.kv_len = 16384;
  spec.is_ragged = true;
  spec.splits = 2;
  CHECK(shape_of(spec).kv_lens == std::vector<std::int64_t>{16384, 8000, 4097, 1, 2048, 12000, 600, 16000});
  CHECK(scene_of(spec).b.measured);
  spec.batch = 11;
  spec.kv_len = 512;
  const auto lengths = shape_of(spec).kv_lens;
  CHECK(lengths.size() == 11);
  CHECK(*std::min_element(lengths.begin(), lengths.end()) == 1);
  CHECK(*std::max_element(lengths.begin(), lengths.end()) == 512);
}

TEST_CASE("names say what the schedules say") {
  const GpuScene scene = scene_of(with_splits(17));
  CHECK(number("a.blocks", scene) == 8);
  CHECK(number("b.blocks", scene) == 136);
  CHECK(number("b.waves", scene) == 2);
  CHECK(number("b.slots", scene) == 132);
  CHECK(number("b.slot_efficiency", scene) == doctest::Approx(136.0 / 264));
  CHECK(number("kv_mb", scene) == doctest::Approx(134.217728));
  CHECK(number("with_splits[16].slots_filled", scene) == doctest::Approx(128.0 / 132));
  CHECK(number("rule.flash_attention_4", scene) == 16);
  CHECK(number("b.time_us", scene) == scene.b.schedule.time_us);
  CHECK(number("with_splits[17].time_us", scene) == scene.b.schedule.time_us);
  CHECK(number("b.measured_us", scene) == doctest::Approx(42.68).epsilon(1e-4));
  CHECK(number("now.time_us", scene, 20) == doctest::Approx(20 * scene.clock.slice_us));
  CHECK(number("now.a.busy_sms", scene, 20) == 8);
  CHECK(number("now.b.busy_sms", scene, scene.clock.last_step) == 0);
  CHECK(number("at_us(20)", scene) == scene.clock.step_at(20));
}

TEST_CASE("counts are known from the start, times only at the end of their launch") {
  const GpuScene scene = scene_of(with_splits(17));
  const auto known_at = [&](const char* source) {
    return Expression::parse(source)->evaluate({scene, 0})->known_at;
  };
  CHECK(known_at("b.waves") == 0);
  CHECK(known_at("with_splits[3].waves") == 0);
  CHECK(known_at("b.time_us") == number("end_of_b", scene));
  CHECK(known_at("a.block_gb_s") == number("end_of_a", scene));
  CHECK(known_at("b.measured_us ÷ b.slots") == number("end_of_b", scene));
  CHECK(number("end_of_b", scene) < number("end_of_a", scene));
  CHECK(number("end_of_a", scene) == number("end", scene));
}

TEST_CASE("what is no name is refused with those that are") {
  const GpuScene scene = scene_of(with_splits(15));
  CHECK(refusal("tile.m", scene).find("expected a name (a, b, now, with_splits") != std::string::npos);
  CHECK(refusal("a.m", scene).find("of a launch one of splits, blocks") != std::string::npos);
  CHECK(refusal("a.blocks.more", scene).find("nothing after") != std::string::npos);
  CHECK(refusal("a[1].blocks", scene).find("without an index") != std::string::npos);
  CHECK(refusal("now", scene).find("a field after") != std::string::npos);
  CHECK(refusal("now.c.blocks", scene).find("time_us, a, b") != std::string::npos);
  CHECK(refusal("with_splits[0].waves", scene).find("with_splits[1] to") != std::string::npos);
  CHECK(refusal("with_splits.waves", scene).find("with_splits[1] to") != std::string::npos);
  CHECK(refusal("with_splits[2].colour", scene).find("blocks, waves, tiles") != std::string::npos);
  CHECK(refusal("rule.best", scene).find("ours, flash_attention_2") != std::string::npos);
  CHECK(refusal("b.measured_us", scene).find("a launch that was measured") != std::string::npos);
  CHECK(refusal("at_us(1000000)", scene).find("of something in this run") != std::string::npos);
  CHECK(refusal("at_key(0)", scene).find("of something in this run") != std::string::npos);
  GpuSceneSpec unknown;
  unknown.gpu = "no-such-gpu";
  CHECK_FALSE(make_gpu_scene(unknown, recordings()));
}

TEST_CASE("every step is told, in both languages, with the numbers of the schedules") {
  const GpuScene scene = scene_of(with_splits(16));
  for (std::int64_t step = 0; step <= scene.clock.last_step; ++step)
    for (const Language language : kLanguages) CHECK(gpu_transcript(scene, step, language).size() > 20);
  const std::string at_20 = gpu_transcript(scene, scene.clock.step_at(20), Language::en);
  CHECK(at_20.find("with 8 of 132 SMs, 124 without a block") != std::string::npos);
  CHECK(at_20.find("with 128 of 132 SMs") != std::string::npos);
  CHECK(gpu_transcript(scene, scene.clock.last_step, Language::en).find("A is done") != std::string::npos);
}

// Lessons 2 and 3 against numbers worked out outside the engine: counts by hand, times as measured. A modelled time has no
// other source, so it must lie near the measured one.
#include <doctest/doctest.h>

#include <array>

#include "lessons/lesson_scene.h"
#include "tests/first_lesson.h"

using namespace fdlab;

namespace {

struct Opened {
  Lesson lesson;
  LessonScene scene;
};

const Opened& open(const char* name) {
  static std::map<std::string, Opened> opened;
  auto at = opened.find(name);
  if (at == opened.end()) {
    auto lesson = load_lesson_named(kLessonsFolder, name);
    REQUIRE_MESSAGE(lesson, (lesson ? "" : lesson.fault().sentence));
    auto scene = make_scene(*lesson, kLessonsFolder);
    REQUIRE_MESSAGE(scene, (scene ? "" : scene.fault().sentence));
    at = opened.emplace(name, Opened{std::move(*lesson), std::move(*scene)}).first;
  }
  return at->second;
}

const Stop& stop_of(const Lesson& lesson, const char* id) {
  for (const Stop& stop : lesson.stops)
    if (stop.id == std::string(id)) return stop;
  FAIL("no stop ", id);
  return lesson.stops[0];
}

ExpressionValue value_of(const char* lesson, const char* stop, const char* source) {
  const Opened& opened = open(lesson);
  const Stop& at = stop_of(opened.lesson, stop);
  const auto step = step_of(at.step, opened.scene.scope(at, 0));
  REQUIRE(step);
  const auto value = Expression::parse(source)->evaluate(opened.scene.scope(at, *step));
  REQUIRE_MESSAGE(value, (value ? "" : value.fault().sentence));
  return *value;
}

struct Row {
  const char *lesson, *stop, *source;
  double value, tolerance;
};

constexpr const char *kStarves = "why-decoding-starves-a-gpu", *kSplitting = "splitting-the-kv-cache";

}  // namespace

TEST_CASE("numbers of the lessons on a GPU are those of an outside computation") {
  constexpr double kExact = 1e-9, kShown = 0.006;
  // 134,217,728 bytes are 8 heads × 32,768 keys × 512 bytes; 4,806.24 GB/s are 4,800 × 1.0013.
  constexpr std::array rows{
      Row{kStarves, "one-row", "a.blocks", 8, kExact},
      Row{kStarves, "one-row", "sms", 132, kExact},
      Row{kStarves, "how-long", "now.a.busy_sms", 8, kExact},
      Row{kStarves, "how-long", "kv_mb", 134.217728, kExact},
      Row{kStarves, "how-long", "floor_us", 27.926, 0.01},
      Row{kStarves, "how-long", "floor_us × sms ÷ a.used_sms", 460.77, 0.1},
      Row{kStarves, "how-long", "a.measured_us", 183.868, kShown},
      Row{kStarves, "own-pace", "kv_mb ÷ b.blocks", 4.194304, kExact},
      Row{kStarves, "own-pace", "a.measured_us", 44.67, kShown},
      Row{kStarves, "own-pace", "b.measured_us", 120.06, kShown},
      Row{kStarves, "busy-or-not", "a.last_wave_filled", 8.0 / 132, kExact},
      Row{kStarves, "busy-or-not", "a.occupancy", 8.0 / 64, 1e-6},
      Row{kStarves, "batch", "a.blocks", 128, kExact},
      Row{kStarves, "the-way-out", "b.used_sms", 128, kExact},
      Row{kStarves, "the-way-out", "b.measured_us", 34.732, kShown},
      Row{kSplitting, "cut", "b.blocks", 128, kExact},
      Row{kSplitting, "one-wave", "b.last_wave_filled", 128.0 / 132, kExact},
      Row{kSplitting, "one-more-split", "b.blocks", 136, kExact},
      Row{kSplitting, "one-more-split", "b.slot_efficiency", 136.0 / 264, kExact},
      Row{kSplitting, "one-more-split", "b.measured_us", 42.68, kShown},
      Row{kSplitting, "the-tail", "now.b.busy_sms", 4, kExact},
      Row{kSplitting, "one-more-block", "b.measured_us ÷ a.measured_us", 160.64 / 120.06, 1e-6},
      Row{kSplitting, "one-more-block", "b.waves ÷ a.waves", 2, kExact},
      Row{kSplitting, "or-nothing", "b.measured_us ÷ a.measured_us", 133.70 / 133.54, 1e-6},
      Row{kSplitting, "choosing", "rule.flash_attention_4", 16, kExact},
      Row{kSplitting, "choosing", "with_splits[17].waves", 2, kExact},
      Row{kSplitting, "more-is-not-more", "b.splits × kv_heads × (head_dim + 2) × 4 ÷ (kv_mb × 1000000)",
          66.0 * 8 * 130 * 4 / 134217728, kExact},
      Row{kSplitting, "ragged", "b.blocks", 128, kExact},
      Row{kSplitting, "ragged", "b.measured_us", 64.452, kShown},
  };
  for (const Row& row : rows) {
    CAPTURE(row.stop);
    CAPTURE(row.source);
    CHECK(value_of(row.lesson, row.stop, row.source).number.value() ==
          doctest::Approx(row.value).epsilon(row.tolerance / row.value).scale(0));
  }
}

TEST_CASE("what the lessons say of the model is true of what was measured") {
  // Predicted within 6 % of measured wherever a text gives both.
  for (const Row& row :
       {Row{kStarves, "how-long", "a", 0, 0}, Row{kStarves, "own-pace", "a", 0, 0},
        Row{kStarves, "own-pace", "b", 0, 0}, Row{kStarves, "the-way-out", "b", 0, 0},
        Row{kSplitting, "one-more-split", "b", 0, 0}, Row{kSplitting, "one-more-block", "a", 0, 0},
        Row{kSplitting, "one-more-block", "b", 0, 0}, Row{kSplitting, "or-nothing", "b", 0, 0},
        Row{kSplitting, "more-is-not-more", "b", 0, 0}, Row{kSplitting, "ragged", "b", 0, 0}}) {
    CAPTURE(row.stop);
    const std::string grid = row.source;
    const double predicted = value_of(row.lesson, row.stop, (grid + ".predicted_us").c_str()).number.value();
    const double measured = value_of(row.lesson, row.stop, (grid + ".measured_us").c_str()).number.value();
    CHECK(predicted == doctest::Approx(measured).epsilon(0.06));
  }
  // The order that a text draws its conclusion from.
  const auto measured = [](const char* stop, const char* source) {
    return value_of(kSplitting, stop, source).number.value();
  };
  CHECK(measured("choosing", "with_splits[17].measured_us") >
        measured("choosing", "with_splits[16].measured_us"));
  CHECK(measured("more-is-not-more", "b.measured_us") > measured("more-is-not-more", "a.measured_us"));
  CHECK(measured("more-is-not-more", "b.time_us") > measured("more-is-not-more", "a.time_us"));
}

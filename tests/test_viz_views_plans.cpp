// The stage over many plans, methods and sizes: every number it shows is the trace's, and no two texts touch.
// With FDLAB_PICTURES=folder each case leaves a PNG there, to be looked at.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/opened_window.h"
#include "viz/picture.h"

using namespace fdlab;

namespace {

struct Case {
  const char* name;
  std::int64_t tile_size;
  std::optional<std::int64_t> streams;
  MergeOrder merge;
  Method method = Method::mlo;
  Deal deal = Deal::round_robin;
  int width = 1600, height = 900;
};

const Case kCases[] = {
    {"tree", 32, {}, MergeOrder::tree},
    {"chain", 32, {}, MergeOrder::sequential, Method::mlo_unnormalised},
    {"two-step", 32, {}, MergeOrder::two_step},
    {"flat", 32, {}, MergeOrder::flat, Method::lse},
    {"lse", 32, {}, MergeOrder::tree, Method::lse, Deal::round_robin, 1280, 720},
    {"four-streams", 32, 4, MergeOrder::tree},
    {"three-streams", 32, 3, MergeOrder::sequential, Method::mlo, Deal::contiguous, 1024, 768},
    {"two-step-streams", 32, 5, MergeOrder::two_step, Method::lse},
    {"empty-streams", 64, 8, MergeOrder::tree},
    {"one-tile", 400, 1, MergeOrder::tree, Method::online},
    {"two-tiles", 200, {}, MergeOrder::tree},
    {"small-tiles", 4, {}, MergeOrder::tree},
    {"single-keys", 1, 8, MergeOrder::flat, Method::mlo, Deal::balanced, 1024, 768},
};

const Trace& trace_of(const Opened& opened) { return opened.window->scene().trace(); }
void go(Opened& opened, std::int64_t step) {
  opened.window->give({CommandId::go_step, step});
  opened.settle();
}

Opened open(const Case& c) {
  WindowOptions options;
  options.size = {c.width, c.height};
  options.ui_scale = 100;
  options.scene = SceneSpec{.data = "stories260k",
                            .layer = 2,
                            .q_head = 6,
                            .tile_size = c.tile_size,
                            .num_streams = c.streams,
                            .deal = c.deal,
                            .merge = c.merge,
                            .method = c.method};
  return open_for_test(options);
}

/// Steps of every kind, spread over the run.
std::vector<std::int64_t> steps_to_look_at(const Trace& trace) {
  const StepIndex& steps = trace.steps();
  const std::int64_t scan = steps.scan_end(), merges = steps.num_merge_steps();
  return {0,
          1,
          scan / 3,
          scan,
          std::min(scan + 1 + merges / 3, steps.merge_end()),
          steps.merge_end(),
          steps.of_check()};
}

/// The number that a text says, and half a unit of its last place.
struct Read {
  double value, tolerance;
};
Read read_number(std::string text) {
  for (std::size_t at; (at = text.find("−")) != std::string::npos;)
    text.replace(at, std::string("−").size(), "-");
  if (text == "-∞") return {-std::numeric_limits<double>::infinity(), 0};
  const std::size_t point = text.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  return {std::stod(text), 0.5001 * std::pow(10, -decimals)};
}
void check_says(const DumpEntry& entry, double expected) {
  const Read read = read_number(entry.value);
  CAPTURE(entry.id);
  CAPTURE(entry.value);
  CAPTURE(expected);
  CHECK((read.value == expected || std::abs(read.value - expected) <= read.tolerance));
}

double statistic(const Partial& partial, const std::string& name) {
  return name == "m" ? partial.m : name == "l" ? partial.l : partial.S_ln;
}
bool is_statistic(const std::string& name) { return name == "m" || name == "l" || name == "S"; }

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

/// Holds every number of the dump against the trace; returns how many it knew.
int check_numbers(const Opened& opened, std::int64_t step) {
  const Trace& trace = trace_of(opened);
  const StepDetail now = trace.detail(step);
  int known = 0;
  for (const DumpEntry& entry : opened.window->dump().entries) {
    const auto id = split(entry.id, '.');
    const std::string& thing = id[0];
    if (id.size() < 2) continue;
    const auto index = [&] { return std::stoll(thing.substr(thing.rfind('-') + 1)); };
    if (thing == "card" && id.size() == 3 && is_statistic(id[2]) && id[1][0] != 's') {
      const std::int64_t tile = std::stoll(id[1]);
      const bool is_done = step >= trace.steps().of_tile_done(tile);
      const std::int64_t keys = step - trace.steps().of_key(trace.plan().tile(tile).begin) + 1;
      check_says(entry, statistic(is_done ? trace.tile(tile) : trace.tile_after(tile, keys), id[2]));
    } else if (thing.starts_with("node-") && id[1] == "S") {
      check_says(entry, trace.node(index()).S_ln);
    } else if (thing.starts_with("node-") && id[1] == "weight-a") {
      check_says(entry, trace.detail(trace.steps().of_merge(index() - trace.tree().leaves())).weight_a);
    } else if (thing.starts_with("fold-") && id[1] == "S") {
      const std::int64_t tile = index();
      check_says(
          entry,
          trace.stream_after(trace.plan().stream_of(tile), trace.plan().place_in_stream(tile) + 1).S_ln);
    } else if (thing == "whole-row" && id[1] == "S") {
      check_says(entry, trace.result().S_ln);
    } else if (thing.starts_with("spoke-")) {
      check_says(entry, trace.stream_share(index()));
    } else if (thing == "inspector" && id.size() >= 3) {
      const Partial& side = id[1] == "a" ? now.a : id[1] == "b" ? now.b : now.result;
      if (is_statistic(id[2])) check_says(entry, statistic(side, id[2]));
      else if (id.size() == 4 && !side.empty) check_says(entry, side.o[std::stoul(id[3])]);
      else continue;
    } else {
      continue;
    }
    ++known;
  }
  return known;
}

/// Texts of the stage that have a place of their own.
std::vector<DumpEntry> stage_texts(const Dump& dump) {
  std::vector<DumpEntry> texts;
  for (const DumpEntry& entry : dump.entries)
    for (const char* prefix : {"card.", "node-", "fold-", "log-sum-", "spoke-", "whole-row.", "stage.",
                               "legend.", "lens-", "token-", "merges.", "root."})
      if (entry.id.starts_with(prefix) && !entry.value.empty() && entry.rect.width() > 1)
        texts.push_back(entry);
  return texts;
}

void check_apart(const Dump& dump) {
  const auto texts = stage_texts(dump);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK_MESSAGE(!texts[i].is_clipped, texts[i].id);
    for (std::size_t k = i + 1; k < texts.size(); ++k)
      CHECK_MESSAGE(!texts[i].rect.overlaps(texts[k].rect), (texts[i].id + " and " + texts[k].id));
  }
}

void leave_picture(const Opened& opened, const Case& c, std::int64_t step) {
  const char* folder = std::getenv("FDLAB_PICTURES");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + c.name + "-" + std::to_string(step) + ".png";
  CHECK_FALSE(write_png(path, opened.platform->read_pixels()).has_value());
}

}  // namespace

TEST_CASE("every number on the stage is the trace's, and no two texts touch, whatever the plan") {
  for (const Case& c : kCases) {
    Opened opened = open(c);
    if (!opened.window) return;
    CAPTURE(c.name);
    int known = 0;
    for (const std::int64_t step : steps_to_look_at(trace_of(opened))) {
      CAPTURE(step);
      go(opened, step);
      known += check_numbers(opened, step);
      check_apart(opened.window->dump());
      leave_picture(opened, c, step);
    }
    CHECK(known > 50);
  }
}

TEST_CASE("pointing at a value lights up its symbol, and pointing at the symbol its value") {
  Opened opened = open(kCases[0]);
  if (!opened.window) return;
  go(opened, 362);
  const DumpEntry* m_a = opened.window->dump().find("card.8.m");
  REQUIRE(m_a);
  opened.platform->move_mouse(m_a->rect.center());
  REQUIRE_FALSE(opened.window->settle().has_value());
  CHECK(opened.window->ui().hover_link == "m-a");
  const DumpEntry* in_table = opened.window->dump().find("inspector.b.l");
  REQUIRE(in_table);
  opened.platform->move_mouse(in_table->rect.center());
  REQUIRE_FALSE(opened.window->settle().has_value());
  CHECK(opened.window->ui().hover_link == "l-b");
}

TEST_CASE("a click on a box, a token or the strip goes to its step") {
  Opened opened = open(kCases[0]);
  if (!opened.window) return;
  go(opened, 362);
  const auto click = [&](Vec2 at) {
    for (const bool is_down : {false, true, false}) {
      opened.platform->move_mouse(at);
      opened.platform->hold_mouse(is_down);
      REQUIRE_FALSE(opened.window->settle().has_value());
    }
    return opened.window->state().step;
  };
  const auto center = [&](const char* id) {
    const DumpEntry* entry = opened.window->dump().find(id);
    REQUIRE(entry);
    return entry->rect.center();
  };
  CHECK(click(center("node-11")) == trace_of(opened).steps().of_merge(0));
  go(opened, 362);
  CHECK(click(center("token-260")) == trace_of(opened).steps().of_key(260));
  go(opened, 362);
  const DumpEntry* card = opened.window->dump().find("card.3.tile");
  REQUIRE(card);
  const float y = opened.window->dump().find("strip")->rect.center().y;
  const std::int64_t step = click({card->rect.center().x, y});
  CHECK(trace_of(opened).steps().at(step).tile == 3);
}

#include "core/sim/recording.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace fdlab;
using nlohmann::json;

namespace {

json small_recording() {
  return json::parse(R"({
    "format": "fdlab-recording", "version": 1,
    "kernel": "split_mlo", "device": "NVIDIA H200", "driver": "580.159.04", "date": "2026-11-30", "sm_count": 132,
    "clock": {"source": "globaltimer", "resolution_ns": 32},
    "problem": {"batch": 1, "q_heads": 2, "kv_heads": 1, "q_len": 1, "kv_len": 512, "head_dim": 128,
                "v_head_dim": 128, "kv_dtype": "bf16"},
    "plan": {"tile_size": 64, "num_splits": 2},
    "launch": {"threads_per_block": 128, "registers_per_thread": 96, "shared_bytes_per_block": 16384,
               "blocks_per_sm": 5, "bytes_in_flight_per_block": 16384},
    "time": {"median_us": 6.5, "runs": 11},
    "blocks": {"sequence": [0, 0], "head": [0, 0], "split": [0, 1], "sm": [128, 129], "start_ns": [0, 32],
               "end_ns": [4800, 4832], "bytes": [131072, 131072]}})");
}

std::string refusal_of(const std::string& text) {
  const Result<Recording> read = parse_recording(text, "run.json");
  return read ? "" : read.fault().sentence;
}

/// The sentence with which the small recording is refused once `change` holds.
std::string refusal_after(const json& patch) {
  json recording = small_recording();
  recording.merge_patch(patch);
  return refusal_of(recording.dump());
}

}  // namespace

TEST_CASE("a recording survives writing and reading") {
  json text = small_recording();
  text["problem"]["kv_lens"] = {512};
  text["merge_blocks"] = {{"sequence", {0}},    {"head", {0}},      {"split", {0}}, {"sm", {3}},
                          {"start_ns", {5000}}, {"end_ns", {6400}}, {"bytes", {0}}};
  const Result<Recording> read = parse_recording(text.dump(), "run.json");
  REQUIRE(read);
  CHECK(json::parse(to_json(*read)) == text);
  CHECK(read->blocks[1].sm == 129);
  CHECK(read->problem.kv_bytes() == 2 * 131072);
  CHECK(read->span_ns() == 6400);
  CHECK(read->badge() == "NVIDIA H200, driver 580.159.04, 2026-11-30");
}

TEST_CASE("a recording is read strictly") {
  REQUIRE(refusal_of(small_recording().dump()).empty());
  const auto without = [](const char* field) {
    json recording = small_recording();
    recording.erase(field);
    return refusal_of(recording.dump());
  };
  for (const char* field : {"format", "version", "kernel", "device", "driver", "date", "sm_count", "clock",
                            "problem", "plan", "launch", "time", "blocks"})
    CHECK(without(field) == std::string("run.json: expected the field '") + field + "', found none");

  CHECK(refusal_after({{"colour", "red"}}) == "run.json: expected no field 'colour', found it");
  CHECK(refusal_after({{"clock", {{"tick", 1}}}}) == "run.json: clock: expected no field 'tick', found it");
  CHECK(refusal_after({{"version", 2}}) ==
        "run.json: expected 'version' to be an integer from 1 to 1, found 2");
  CHECK(refusal_after({{"format", "trace"}}) ==
        "run.json: expected 'format' to be fdlab-recording, found 'trace'");
  CHECK(refusal_after({{"date", "yesterday"}}) ==
        "run.json: expected 'date' as in 2026-11-30, found 'yesterday'");
  CHECK(refusal_after({{"device", ""}}) == "run.json: expected 'device' to be a text, found \"\"");
  CHECK(refusal_after({{"sm_count", 0}}).find("from 1 to 4096, found 0") != std::string::npos);
  CHECK(refusal_after({{"sm_count", 129}}).find("'sm' to be an integer from 0 to 128, found 129") !=
        std::string::npos);
  CHECK(refusal_after({{"time", {{"median_us", -1}}}}).find("above 0, found -1") != std::string::npos);
  CHECK(refusal_after({{"problem", {{"kv_dtype", "f64"}}}}).find("found 'f64'") != std::string::npos);
  CHECK(refusal_after({{"problem", {{"kv_heads", 3}}}}).find("multiple of KV heads, found 2 and 3") !=
        std::string::npos);
  CHECK(refusal_after({{"problem", {{"kv_lens", {1, 2}}}}}).find("expected 1 KV lengths") !=
        std::string::npos);
  CHECK(refusal_after({{"blocks", {{"bytes", {1}}}}}).find("expected 2 entries in 'bytes'") !=
        std::string::npos);
  CHECK(refusal_after({{"blocks", {{"end_ns", {4800, 31}}}}}).find("block 1 to end after it starts") !=
        std::string::npos);
  CHECK(refusal_after({{"blocks", {{"start_ns", {32, 64}}}}}).find("start at 0 ns, found 32 ns") !=
        std::string::npos);
  CHECK(refusal_after({{"blocks", {{"split", {0, 2}}}}}).find("from 0 to 1, found 2") != std::string::npos);
  CHECK(refusal_after({{"blocks", {{"sm", {1.5, 2}}}}}).find("found 1.5") != std::string::npos);
  CHECK(
      refusal_after({{"blocks", {{"sm", {18446744073709551615u, 2}}}}}).find("found 18446744073709551615") !=
      std::string::npos);
}

TEST_CASE("a recording of what cannot have happened is refused") {
  const auto refused = [](const json& patch, const char* why) {
    const std::string sentence = refusal_after(patch);
    CAPTURE(sentence);
    CHECK(sentence.find(why) != std::string::npos);
  };
  refused({{"blocks", {{"split", {0, 0}}}}}, "one block for sequence 0, head 0, split 0, found two");
  refused({{"blocks", {{"bytes", {131072, 131071}}}}}, "read 262144 bytes of K and V together, found 262143");
  refused({{"blocks", {{"end_ns", {4800, 32}}}}}, "block 1 to end after it starts at 32 ns, found 32 ns");
  refused({{"blocks", {{"sm", {128, 128}}}}, {"launch", {{"blocks_per_sm", 1}}}},
          "at most 1 blocks at a time on SM 128, found 2 at 32 ns");
  refused({{"plan", {{"num_splits", 3}}}}, "1 KV heads or 2 query heads, and 3 splits, found 2 blocks");
  refused({{"problem", {{"batch", 3}}}}, "each of 3 sequences");
  for (const char* field : {"kv_len", "head_dim"})
    refused({{"problem", {{field, 3}}}}, "bytes of K and V together");
  refused({{"problem", {{"kv_lens", json::array()}}}}, "one length a sequence in 'kv_lens', found none");
  refused({{"clock", {{"source", "sundial"}}}}, "globaltimer or globaltimer+clock64, found 'sundial'");
  refused({{"date", "2026-02-31"}}, "expected 'date' as in 2026-11-30");
  refused({{"time", {{"median_us", 1e300}}}}, "at most 1000000000");
  // One SM after the other has left is no crowd, to the clock's resolution.
  CHECK(refusal_after({{"blocks", {{"sm", {128, 128}}, {"start_ns", {0, 4790}}, {"end_ns", {4800, 9600}}}},
                       {"launch", {{"blocks_per_sm", 1}}}}) == "");
}

TEST_CASE("what is no recording is refused in one sentence") {
  const std::string text = small_recording().dump();
  CHECK(refusal_of("") == "run.json: expected JSON, found something else at byte 1");
  CHECK(refusal_of("[1]") == "run.json: expected a JSON object, found a list");
  CHECK(refusal_of(text.substr(0, 100)).find("at byte 101") != std::string::npos);
  CHECK(refusal_of("{\"version\": 1e999}") == "run.json: expected JSON, found a number that no double holds");
  CHECK(refusal_of("{\"version\": NaN}").find("expected JSON") != std::string::npos);
  std::string doubled = text;
  doubled.insert(1, "\"kernel\": \"other\", ");
  CHECK(refusal_of(doubled) == "run.json: expected every field once, found 'kernel' twice");
  CHECK(read_recording("no/such/file.json").fault().sentence.find("no/such/file.json") != std::string::npos);
}

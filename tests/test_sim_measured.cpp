#include "core/sim/measured.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.h"

using namespace fdlab;

namespace {

const std::vector<Recording>& recordings() {
  static const auto all = read_recordings(FDLAB_SOURCE_DIR "/lessons/recordings");
  REQUIRE(all);
  return *all;
}

std::optional<MeasuredLaunch> find(const char* kernel, const DecodeShape& shape, std::int64_t splits) {
  return find_measured(recordings(), *find_gpu("h200"), *find_kernel(kernel), shape, splits);
}

const DecodeShape kOneSequence{1, 8, 8, 1, 32768, 128, 128, DType::bf16, {}};

}  // namespace

TEST_CASE("a launch finds its own recording, and no other") {
  REQUIRE(recordings().size() >= 22);
  const auto sixteen = find("one-kernel", kOneSequence, 16);
  REQUIRE(sixteen);
  CHECK(sixteen->time_us == doctest::Approx(34.732).epsilon(1e-4));
  CHECK(sixteen->blocks.size() == 128);
  CHECK_FALSE(sixteen->is_span);
  CHECK(sixteen->badge() == "NVIDIA H200, driver 580.159.04, 2026-11-30");

  CHECK_FALSE(find("one-kernel", kOneSequence, 15));
  CHECK_FALSE(find("split", kOneSequence, 16));
  DecodeShape shorter = kOneSequence;
  shorter.kv_len = 32767;
  CHECK_FALSE(find("one-kernel", shorter, 16));
  CHECK_FALSE(find_measured(recordings(), *find_gpu("h100"), *find_kernel("one-kernel"), kOneSequence, 16));
}

TEST_CASE("equal lengths are the same written once or one a sequence; ragged ones must agree") {
  DecodeShape shape{
      8, 32, 8, 1, 16384, 128, 128, DType::bf16, {16384, 8000, 4097, 1, 2048, 12000, 600, 16000}};
  CHECK(find("one-kernel", shape, 2));
  shape.kv_lens[3] = 2;
  CHECK_FALSE(find("one-kernel", shape, 2));
  DecodeShape equal{8, 32, 8, 1, 8192, 128, 128, DType::bf16, {}};
  CHECK(find("one-kernel", equal, 2));
  equal.kv_lens.assign(8, 8192);
  CHECK(find("one-kernel", equal, 2));
}

TEST_CASE("plain reads are measured by the sweep: first start to last end") {
  const auto reads = [](const char* kernel, std::int64_t blocks) {
    return find(kernel, {blocks, 1, 1, 1, 8192, 128, 128, DType::bf16, {}}, 1);
  };
  REQUIRE(reads("read-1024", 133));
  CHECK(reads("read-1024", 133)->time_us == 160.64);
  CHECK(reads("read-1024", 132)->time_us == 120.06);
  CHECK(reads("read-512", 133)->time_us == 133.70);
  CHECK(reads("read-1024", 133)->is_span);
  CHECK(reads("read-1024", 133)->blocks.empty());
  CHECK_FALSE(reads("read-1024", 131));
  CHECK_FALSE(reads("split", 133));
}

TEST_CASE("a recording that cannot be read is a fault; an empty folder holds none") {
  TemporaryFolder folder;
  CHECK(read_recordings(folder / "")->empty());
  std::ofstream(folder / "a.json") << "{}";
  const auto refused = read_recordings(folder / "");
  REQUIRE_FALSE(refused);
  CHECK(refused.fault().sentence.find("a.json") != std::string::npos);
}

#include "core/sim/simulate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/sim/against.h"
#include "core/sim/schedule_json.h"
#include "core/sim/schedule_text.h"

using namespace fdlab;

namespace {

DecodeShape shape_of(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads, std::int64_t kv_len) {
  DecodeShape shape;
  shape.batch = batch;
  shape.q_heads = q_heads;
  shape.kv_heads = kv_heads;
  shape.kv_len = kv_len;
  return shape;
}

Schedule step(const DecodeShape& shape, std::int64_t splits, const char* kernel = "split",
              const char* gpu = "h200") {
  const auto schedule = simulate_step(*find_gpu(gpu), *find_kernel(kernel), shape, {splits, false});
  REQUIRE_MESSAGE(schedule, (schedule ? "" : schedule.fault().sentence));
  return *schedule;
}

std::string refusal(const DecodeShape& shape, std::int64_t splits) {
  const auto schedule = simulate_step(*find_gpu("h200"), *find_kernel("split"), shape, {splits, false});
  return schedule ? "" : schedule.fault().sentence;
}

}  // namespace

TEST_CASE("the splits of a step read the KV cache once, whatever their number and however ragged") {
  for (const std::int64_t splits : {1, 2, 7, 16, 17, 132, 600})
    for (const bool ragged : {false, true}) {
      DecodeShape shape = shape_of(8, 32, 8, 8192);
      if (ragged) shape.kv_lens = {0, 1, 63, 64, 65, 1000, 4096, 8192};
      const Schedule s = step(shape, splits);
      CHECK(s.split.bytes() == shape.kv_bytes());
      CHECK(s.split.blocks.size() == static_cast<std::size_t>(8 * 8 * splits));
    }
}

TEST_CASE("the four ratios: eight blocks of eight warps on 132 SMs") {
  KernelModel kernel = *find_kernel("split");
  kernel.block = {256, 255, 200'000};  // one block an SM
  kernel.start_us = kernel.end_us = 0;
  Gpu gpu = *find_gpu("h200");
  gpu.memory.spread = 0;
  gpu.block_launch_us = 0;
  const Schedule s = *simulate_step(gpu, kernel, shape_of(1, 8, 8, 1 << 20), {1, false});
  CHECK(s.ratios.kernel_running > 0.999);
  CHECK(s.ratios.sms_with_work == doctest::Approx(8.0 / 132));
  CHECK(s.ratios.occupancy == doctest::Approx(8.0 / 64));
  CHECK(s.ratios.last_wave_filled == doctest::Approx(8.0 / 132));
  CHECK(s.bound == Bound::latency);
}

TEST_CASE("what sets the time") {
  CHECK(step(shape_of(1, 32, 8, 32768), 1).bound == Bound::latency);
  CHECK(step(shape_of(1, 32, 8, 131072), 16).bound == Bound::bandwidth);
  CHECK(step(shape_of(1, 1, 1, 1), 1).bound != Bound::bandwidth);
  DecodeShape ragged = shape_of(8, 8, 8, 100'000);
  ragged.kv_lens = {10, 10, 10, 10, 10, 10, 10, 100'000};
  CHECK(step(ragged, 1).bound == Bound::tail);
  KernelModel slow = *find_kernel("split");
  slow.math_share = 0.001;
  CHECK(simulate_step(*find_gpu("h200"), slow, shape_of(1, 32, 8, 32768), {16, false})->bound ==
        Bound::arithmetic);
  const Schedule s = step(shape_of(1, 32, 8, 32768), 16);
  CHECK(s.launch_us + s.split.span_us + s.merge_us == doctest::Approx(s.time_us));
}

TEST_CASE("splits make one sequence's step several times shorter, and the measured times are near") {
  // Measured beside it: a skeleton without arithmetic, stream and second merge kernel, NVIDIA H200, driver 580.159.04,
  // 2026-11-30; the model's kernel is not the skeleton, hence the width.
  struct Measured {
    std::int64_t q_heads, kv_heads, kv_len, splits;
    double us;
  };
  for (const Measured& m : {Measured{32, 8, 4096, 16, 7.72}, Measured{32, 8, 32768, 16, 35.04},
                            Measured{32, 32, 4096, 4, 19.86}}) {
    const double us = step(shape_of(1, m.q_heads, m.kv_heads, m.kv_len), m.splits).time_us;
    CAPTURE(m.kv_len);
    CHECK(us == doctest::Approx(m.us).epsilon(0.12));
  }
  CHECK(step(shape_of(1, 32, 8, 32768), 1).time_us > 5 * step(shape_of(1, 32, 8, 32768), 16).time_us);
}

TEST_CASE("KV left in L2 is read faster, if it fits") {
  const DecodeShape small = shape_of(1, 32, 8, 4096), large = shape_of(8, 32, 8, 32768);
  const Gpu gpu = *find_gpu("h200");
  const KernelModel kernel = *find_kernel("split");
  CHECK(simulate_step(gpu, kernel, small, {16, true})->time_us < 0.9 * step(small, 16).time_us);
  CHECK(simulate_step(gpu, kernel, large, {2, true})->time_us == step(large, 2).time_us);
}

TEST_CASE(
    "every GPU runs the built-in kernels, but for those whose blocks need more shared memory than it has") {
  for (const std::string& gpu : builtin_gpu_names())
    for (const std::string& kernel : builtin_kernel_names()) {
      if (find_fault(find_kernel(kernel)->block, *find_gpu(gpu))) {
        CHECK(find_kernel(kernel)->block.shared_bytes > find_gpu(gpu)->shared_bytes_per_block);
        continue;
      }
      const Schedule s = step(shape_of(2, 8, 2, 1000), 3, kernel.c_str(), gpu.c_str());
      CHECK(s.time_us > 0);
      CHECK(s.time_efficiency < 1);
    }
}

TEST_CASE("what cannot be simulated is refused in one sentence") {
  const DecodeShape shape = shape_of(1, 32, 8, 32768);
  CHECK(refusal(shape, 1'000'000'000) ==
        "expected 1 to 125000 splits (1000000 blocks can be simulated, 1 × 8 heads), found 1000000000");
  CHECK(refusal(shape, 0).find("found 0") != std::string::npos);
  CHECK(refusal(shape, std::numeric_limits<std::int64_t>::min()).find("found -9223372036854775808") !=
        std::string::npos);
  CHECK(refusal(shape_of(0, 32, 8, 1), 1) == "expected a batch from 1 to 1048576, found 0");
  CHECK(refusal(shape_of(1, 33, 8, 1), 1) ==
        "expected query heads to be a multiple of KV heads, found 33 and 8");
  CHECK(refusal(shape_of(1, 8, 8, -1), 1).find("a KV length from 0") != std::string::npos);
  CHECK(refusal(shape_of(1 << 20, 1 << 20, 1, 1), 1).find("expected at most 1048576 heads") !=
        std::string::npos);
  CHECK(refusal(shape_of(1 << 20, 1, 1, std::int64_t{1} << 32), 1).find("10^15 bytes") != std::string::npos);
  DecodeShape byte = shape_of(1, 1, 1, 1);
  byte.head_dim = byte.v_head_dim = 1;
  byte.kv_dtype = DType::e4m3;
  CHECK(step(byte, 1).split.bytes() == 2);
  CHECK(step(shape_of(1, 1, 1, 0), 5).split.bytes() == 0);
}

TEST_CASE("JSON and Perfetto hold the whole schedule") {
  const Schedule s = step(shape_of(1, 32, 8, 4096), 16);
  const auto object = nlohmann::json::parse(to_json(s));
  CHECK(object.at("format") == "fdlab-schedule");
  CHECK(object.at("version") == kScheduleVersion);
  CHECK(object.at("time_us") == s.time_us);
  CHECK(object.at("split_kernel").at("blocks").at("end_us").size() == s.split.blocks.size());
  CHECK(object.at("merge_kernel").at("blocks").at("sm").size() == 32);
  const auto trace = nlohmann::json::parse(to_perfetto(s));
  std::size_t blocks = 0;
  for (const auto& event : trace.at("traceEvents")) blocks += event.at("ph") == "X";
  CHECK(blocks == s.split.blocks.size() + s.merge.blocks.size());
}

TEST_CASE("the board and the lanes fit the width and show idle SMs without colour") {
  const Schedule s = step(shape_of(1, 32, 8, 32768), 1);
  const auto board = sm_board(s, s.split.span_us / 2, 80);
  std::size_t idle = 0;
  for (const std::string& line : board)
    for (std::size_t at = line.find("·"); at != std::string::npos; at = line.find("·", at + 1)) ++idle;
  CHECK(board.size() == 6);
  CHECK(idle == 124);
  for (const int columns : {1, 20, 40, 80, 200})
    for (const std::string& line : sm_lanes(s, columns, 12)) {
      std::size_t characters = 0;
      for (const char c : line) characters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      CHECK(characters <= static_cast<std::size_t>(std::max(columns, 26)));
    }
  CHECK(sm_lanes(s, 80, 12).size() == 14);
  CHECK(sm_lanes(step(shape_of(1, 1, 1, 0), 1), 80, 12).size() <= 14);
}

TEST_CASE("a recording made of a schedule differs from it by nothing") {
  const Schedule s = step(shape_of(1, 32, 8, 32768), 17);
  const KernelModel kernel = *find_kernel("split");
  Recording r;
  r.kernel = "split";
  r.device = s.gpu;
  r.driver = "none";
  r.date = "2026-11-30";
  r.sm_count = s.sms;
  r.problem = s.shape;
  r.tile_size = kernel.tile_size;
  r.num_splits = s.num_splits;
  r.launch = {kernel.block.threads, kernel.block.registers_per_thread, kernel.block.shared_bytes,
              s.split.blocks_per_sm, kernel.bytes_in_flight};
  r.time_us = s.time_us;
  for (const ScheduledBlock& b : s.split.blocks)
    r.blocks.push_back({b.sequence, b.head, b.split, b.sm, static_cast<std::int64_t>(b.start_us * 1e3 + 0.5),
                        static_cast<std::int64_t>(b.end_us * 1e3 + 0.5), b.bytes});
  r.merge_blocks = {r.blocks[0]};
  const auto comparison = compare_with(*find_gpu("h200"), r);
  REQUIRE(comparison);
  REQUIRE(comparison->residuals.size() == 6);
  for (const Residual& residual : comparison->residuals) CHECK(std::abs(residual.relative()) < 0.01);
  r.time_us *= 2;
  CHECK(compare_with(*find_gpu("h200"), r)->residuals[0].relative() == doctest::Approx(-0.5));
}

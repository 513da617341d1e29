// Where the first wave goes, held against what H200s did.
#include "core/sim/placement.h"

#include <doctest/doctest.h>

#include <set>

#include "core/sim/recording.h"

using namespace fdlab;

namespace {

std::vector<std::int32_t> recorded(const std::string& name) {
  const auto recording =
      read_recording(std::string(FDLAB_SOURCE_DIR "/lessons/recordings/") + name + ".json");
  REQUIRE_MESSAGE(recording, (recording ? "" : recording.fault().sentence));
  std::vector<std::int32_t> sms;
  for (const RecordedBlock& b : recording->blocks) sms.push_back(b.sm);
  return sms;
}

std::set<std::int32_t> set_of(const std::vector<std::int32_t>& sms) { return {sms.begin(), sms.end()}; }

}  // namespace

TEST_CASE("blocks go where they were recorded: the odd GPC first, then in turns, TPC before SM") {
  const Gpu gpu = *find_gpu("h200");
  for (const char* name : {"one-block_1x8x1x65536", "one-block_1x32x8x4096", "one-block_1x32x32x32768"}) {
    CAPTURE(name);
    const auto sms = recorded(name);
    CHECK(places_of(gpu, static_cast<std::int64_t>(sms.size())) == sms);
  }
  // These launches went on with another GPC than 0.
  for (const char* name :
       {"one-kernel_splits-2", "one-kernel_splits-4", "one-kernel_splits-8", "one-kernel_splits-16"}) {
    CAPTURE(name);
    const auto sms = recorded(name);
    CHECK(set_of(places_of(gpu, static_cast<std::int64_t>(sms.size()))) == set_of(sms));
  }
}

TEST_CASE("any number of blocks gets as many different SMs, at most all") {
  for (const char* name : {"h200", "h100", "classroom4"}) {
    Gpu gpu = *find_gpu(name);
    for (std::int64_t blocks = 0; blocks <= gpu.sms + 3; ++blocks)
      CHECK(set_of(places_of(gpu, blocks)).size() ==
            static_cast<std::size_t>(std::min<std::int64_t>(blocks, gpu.sms)));
    gpu.gpc_sms.assign(static_cast<std::size_t>(gpu.sms), 1);
    CHECK(places_of(gpu, gpu.sms - 1).back() == gpu.launch_order[static_cast<std::size_t>(gpu.sms - 2)]);
  }
}

TEST_CASE("where GPCs are not known, SMs fill in launch order") {
  const Gpu gpu = *find_gpu("l4");
  REQUIRE(gpu.gpc_sms.empty());
  CHECK(places_of(gpu, 3) == std::vector<std::int32_t>{0, 1, 2});
}

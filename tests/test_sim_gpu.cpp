#include "core/sim/gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/sim/data.h"

using namespace fdlab;

namespace {

/// The sentence with which the H200's file is refused once `before` reads `after`.
std::string refusal_of(const std::string& before, const std::string& after) {
  std::string text(sim_data_text("gpus/h200.toml"));
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.replace(at, before.size(), after);
  const Result<Gpu> gpu = parse_gpu(text, "my.toml");
  return gpu ? "" : gpu.fault().sentence;
}

}  // namespace

TEST_CASE("every built-in GPU reads, with a source behind every figure") {
  REQUIRE(builtin_gpu_names().size() == 8);
  for (const std::string& name : builtin_gpu_names()) {
    CAPTURE(name);
    const Result<Gpu> gpu = find_gpu(name);
    REQUIRE_MESSAGE(gpu, (gpu ? "" : gpu.fault().sentence));
    CHECK(gpu->sources.size() == (name == "h200" ? 22 : 19));  // measured: roomy SMs, halves, the way across
    CHECK(gpu->launch_order.size() == static_cast<std::size_t>(gpu->sms));
    // The data sheet's tensor figure is a whole number of multiply-adds a clock, near a power of two.
    const double per_clock = gpu->tensor_tflops * 1e6 / 2 / gpu->clock_mhz / static_cast<double>(gpu->sms);
    CHECK(per_clock > 250);
    CHECK(per_clock < 5000);
  }
}

TEST_CASE("the H200 fills pairs of neighbouring SMs first, as measured") {
  const Result<Gpu> gpu = find_gpu("h200");
  REQUIRE(gpu);
  CHECK(gpu->launch_order[0] == 128);
  CHECK(gpu->launch_order[8] == 0);
  CHECK(gpu->launch_order[131] == 123);
  for (std::size_t i = 0; i < gpu->launch_order.size(); i += 2)
    CHECK(gpu->launch_order[i + 1] == gpu->launch_order[i] + 1);
  CHECK(find_gpu_of_device("NVIDIA H200")->sms == 132);
  CHECK_FALSE(find_gpu_of_device("NVIDIA H20"));
}

TEST_CASE("the H200's L2 has two halves of 66 SMs; a GPC and a TPC lie on one side") {
  const Gpu gpu = *find_gpu("h200");
  const auto second = [&](std::size_t place) {
    return gpu.on_second_half[static_cast<std::size_t>(gpu.launch_order[place])];
  };
  CHECK(std::count(gpu.on_second_half.begin(), gpu.on_second_half.end(), true) == 66);
  for (std::size_t i = 0; i < gpu.launch_order.size(); i += 2) CHECK(second(i) == second(i + 1));
  auto first = static_cast<std::size_t>(gpu.gpc_sms[0]);  // the odd GPC is made of what others leave
  for (std::size_t gpc = 1; gpc < gpu.gpc_sms.size(); ++gpc) {
    const auto end = first + static_cast<std::size_t>(gpu.gpc_sms[gpc]);
    for (std::size_t i = first; i < end; ++i) CHECK(second(i) == second(first));
    first = end;
  }
  CHECK(find_gpu("h100")->on_second_half.empty());
}

TEST_CASE("a GPU's file is read strictly") {
  CHECK(refusal_of("sms = {value = 132,", "sms = {value = 0,").find("above 0, found 0") != std::string::npos);
  CHECK(refusal_of("sms = {value = 132,", "sms = {value = nan,").find("above 0, found null") !=
        std::string::npos);
  CHECK(refusal_of("sms = {value = 132,", "sms = {value = 1e9,").find("from 1 to 4096") != std::string::npos);
  CHECK(refusal_of("sms = {value = 132,", "sms = {value = 131,").find("from 0 to 130, found 131") !=
        std::string::npos);
  CHECK(refusal_of("sms = {value = 132,", "sms = {value = 131.5,").find("found 131.5") != std::string::npos);
  CHECK(refusal_of("sms = {value = 132, source", "sms = {value = 132, sauce").find("field 'source'") !=
        std::string::npos);
  CHECK(refusal_of("128, 129,", "128, 128,").find("each of 132 SMs once") != std::string::npos);
  CHECK(refusal_of("gpc_sms = [8,", "gpc_sms = [9,").find("add up to 132 SMs, found 133") !=
        std::string::npos);
  CHECK(refusal_of("gpc_sms = [8,", "gpc_sms = [0,").find("from 1 to 132, found 0") != std::string::npos);
  CHECK(refusal_of("second = [", "second = [132,").find("from 0 to 131, found 132") != std::string::npos);
  CHECK(refusal_of("second = [\n  0, 1,", "second = [\n  0, 0,")
            .find("each once, found 66, 65 of them different") != std::string::npos);
  CHECK(refusal_of("second = [\n  0, 1,", "second = [\n  0,").find("half of 132 SMs, each once, found 65") !=
        std::string::npos);
  CHECK(refusal_of("dram_gb_s = {value = 4800", "dram_gb_s = {value = 1e-3")
            .find("from 1 to 10000000, found 0.001") != std::string::npos);
  CHECK(refusal_of("block_ns = {value = 0.74", "block_ns = {value = 1e9").find("'block_ns'") !=
        std::string::npos);
  CHECK(refusal_of("name = \"NVIDIA H200\"", "name = \"H\\u001b[31m\"").find("printable characters") !=
        std::string::npos);
  CHECK(refusal_of("crossing_us = {value = 0.069", "crossing_us = {value = 0.7")
            .find("below the latency of L2, 0.7 us, found 0.7") != std::string::npos);
  CHECK(refusal_of("second_source", "sauce").find("expected the field 'second_source'") != std::string::npos);
  CHECK(refusal_of("name =", "nom = ").find("expected the field 'name', found none") != std::string::npos);
  CHECK(refusal_of("[launch]", "[launch]\ncolour = 1").find("no field 'colour'") != std::string::npos);
  CHECK(refusal_of("[launch]", "[launch").find("my.toml: expected TOML, found a fault in line 2") !=
        std::string::npos);
  CHECK(find_gpu("gtx").fault().sentence ==
        "expected a GPU (a100, b200, classroom4, classroom8, h100, h200, l4, rtx4090) or the path of a .toml "
        "file, found "
        "'gtx'");
  CHECK(find_gpu("no/such.toml").fault().sentence.find("no/such.toml") != std::string::npos);
}

TEST_CASE(
    "bandwidth: alone a block gets its bytes in flight over the latency, together they bend towards the "
    "ceiling") {
  const MemoryModel memory = find_gpu("h200")->memory;
  const double block = 16384;
  CHECK(memory.throughput_gb_s(block, 0) ==
        doctest::Approx(block / memory.dram.latency_us / 1e3).epsilon(0.002));

  double before = 0;
  for (double blocks = 1; blocks < 1e6; blocks *= 1.5) {
    const double now = memory.throughput_gb_s(block * blocks, 0);
    CHECK(now > before);
    CHECK(now < memory.ceiling_gb_s(0));
    CHECK(now <= blocks * memory.throughput_gb_s(block, 0) * 1.0000001);
    before = now;
  }
  CHECK(before > 0.999 * memory.ceiling_gb_s(0));
  // What is found in L2 comes sooner; half of it lifts half the load off the memory.
  CHECK(memory.throughput_gb_s(1e6, 1) > memory.throughput_gb_s(1e6, 0));
  CHECK(memory.ceiling_gb_s(0.1) == doctest::Approx(memory.dram.ceiling_gb_s / 0.9));
  ThroughputCurve curve(memory, 0);
  for (const double demand_bytes : {1e6, 1.01e6, 0.99e6, 1e8, 1.0, 1e5})
    CHECK(curve.gb_s(demand_bytes) == doctest::Approx(memory.throughput_gb_s(demand_bytes, 0)).epsilon(1e-9));
}

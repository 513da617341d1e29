#include "core/sim/schedule_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace fdlab {

using nlohmann::json;

namespace {

json block_columns(const KernelRun& run) {
  json c = json::object();
  for (const char* name :
       {"sequence", "head", "split", "sm", "slot", "start_us", "read_us", "read_end_us", "end_us", "bytes"})
    c[name] = json::array();
  for (std::size_t i = 0; i < run.blocks.size(); ++i) {
    const ScheduledBlock& b = run.blocks[i];
    c["sequence"].push_back(b.sequence);
    c["head"].push_back(b.head);
    c["split"].push_back(b.split);
    c["sm"].push_back(b.sm);
    c["slot"].push_back(b.slot);
    c["start_us"].push_back(b.start_us);
    c["read_us"].push_back(run.read_us(i));
    c["read_end_us"].push_back(b.read_end_us);
    c["end_us"].push_back(b.end_us);
    c["bytes"].push_back(b.bytes);
  }
  return c;
}

json step_columns(const std::vector<BandwidthStep>& steps) {
  json c{{"start_us", json::array()},
         {"gb_s", json::array()},
         {"busy_sms", json::array()},
         {"resident_blocks", json::array()}};
  for (const BandwidthStep& s : steps) {
    c["start_us"].push_back(s.start_us);
    c["gb_s"].push_back(s.gb_s);
    c["busy_sms"].push_back(s.busy_sms);
    c["resident_blocks"].push_back(s.resident_blocks);
  }
  return c;
}

json run_json(const KernelRun& run) {
  return {{"span_us", run.span_us},
          {"blocks_per_sm", run.blocks_per_sm},
          {"occupancy_limit", run.occupancy_limit},
          {"bandwidth_us", run.bandwidth_us},
          {"latency_us", run.latency_us},
          {"arithmetic_us", run.arithmetic_us},
          {"tail_us", run.tail_us},
          {"sm_busy_us", run.sm_busy_us},
          {"blocks", block_columns(run)},
          {"steps", step_columns(run.steps)}};
}

json block_event(const ScheduledBlock& b, const char* kind, double from_us, int track) {
  return {{"name", fmt::format("{} head {} split {}", kind, b.head, b.split)},
          {"ph", "X"},
          {"pid", 1},
          {"tid", track},
          {"ts", from_us + b.start_us},
          {"dur", b.end_us - b.start_us},
          {"args", {{"sequence", b.sequence}, {"head", b.head}, {"split", b.split}, {"bytes", b.bytes}}}};
}

json counter(const char* name, double time_us, double value) {
  return {{"name", name}, {"ph", "C"}, {"pid", 1}, {"ts", time_us}, {"args", {{"value", value}}}};
}

}  // namespace

std::string to_json(const Schedule& s) {
  const DecodeShape& p = s.shape;
  json object{{"format", "fdlab-schedule"},
              {"version", kScheduleVersion},
              {"gpu", s.gpu},
              {"sms", s.sms},
              {"kernel", s.kernel},
              {"model_origin", s.model_origin},
              {"problem",
               {{"batch", p.batch},
                {"q_heads", p.q_heads},
                {"kv_heads", p.kv_heads},
                {"q_len", p.q_len},
                {"kv_len", p.kv_len},
                {"head_dim", p.head_dim},
                {"v_head_dim", p.v_head_dim},
                {"kv_dtype", name_of(p.kv_dtype)},
                {"kv_lens", p.kv_lens},
                {"kv_bytes", p.kv_bytes()}}},
              {"num_splits", s.num_splits},
              {"time_us", s.time_us},
              {"launch_us", s.launch_us},
              {"merge_us", s.merge_us},
              {"merge_start_us", s.merge_start_us},
              {"ceiling_gb_s", s.ceiling_gb_s},
              {"l2_share", s.l2_share},
              {"waves", s.waves},
              {"slot_efficiency", s.slot_efficiency},
              {"time_efficiency", s.time_efficiency},
              {"ratios",
               {{"kernel_running", s.ratios.kernel_running},
                {"sms_with_work", s.ratios.sms_with_work},
                {"occupancy", s.ratios.occupancy},
                {"last_wave_filled", s.ratios.last_wave_filled}}},
              {"bound", name_of(s.bound)},
              {"bound_share", s.bound_share},
              {"split_kernel", run_json(s.split)}};
  if (!s.merge.blocks.empty()) object["merge_kernel"] = run_json(s.merge);
  return object.dump() + "\n";
}

std::string to_perfetto(const Schedule& s) {
  json events = json::array();
  events.push_back(
      {{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", s.gpu + " (model)"}}}});
  std::set<std::pair<int, std::string>> tracks;
  const auto add = [&](const std::vector<ScheduledBlock>& blocks, const char* kind, double from_us) {
    for (const ScheduledBlock& b : blocks) {
      const int track = 1 + b.sm * 64 + b.slot;
      tracks.insert({track, fmt::format("SM {:3} slot {}", b.sm, b.slot)});
      events.push_back(block_event(b, kind, from_us, track));
    }
  };
  add(s.split.blocks, "read", 0);
  add(s.merge.blocks, "merge", s.merge_start_us);
  for (const auto& [track, name] : tracks)
    events.push_back(
        {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}});
  for (const BandwidthStep& step : s.split.steps) {
    events.push_back(counter("bandwidth, GB/s", step.start_us, step.gb_s));
    events.push_back(counter("SMs with work", step.start_us, step.busy_sms));
  }
  return json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump() + "\n";
}

}  // namespace fdlab

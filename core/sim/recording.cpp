#include "core/sim/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "core/io/mapped_file.h"
#include "core/io/strict_json.h"

namespace fdlab {

using nlohmann::json;

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;  // of any count, length or time in a recording
constexpr std::size_t kMostBlocks = 1'000'000;
constexpr double kMostUs = 1e9;
constexpr std::array kColumns{"sequence", "head", "split", "sm", "start_ns", "end_ns", "bytes"};

std::optional<DType> kv_dtype_from(const std::string& name) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3})
    if (name == name_of(type)) return type;
  return std::nullopt;
}

DecodeShape read_problem(StrictObject object) {
  DecodeShape p;
  p.batch = object.integer("batch", 1, kMost);
  p.q_heads = object.integer("q_heads", 1, kMost);
  p.kv_heads = object.integer("kv_heads", 1, kMost);
  p.q_len = object.integer("q_len", 1, kMost);
  p.kv_len = object.integer("kv_len", 0, kMost);
  p.head_dim = object.integer("head_dim", 1, kMost);
  p.v_head_dim = object.integer("v_head_dim", 1, kMost);
  const std::string dtype = object.text("kv_dtype");
  if (const auto type = kv_dtype_from(dtype)) p.kv_dtype = *type;
  else object.refuse(fmt::format("expected 'kv_dtype' to be f32, f16, bf16 or e4m3, found '{}'", dtype));
  if (object.has("kv_lens")) {
    p.kv_lens = object.integers("kv_lens", 0, p.kv_len);
    if (p.kv_lens.empty()) object.refuse("expected one length a sequence in 'kv_lens', found none");
  }
  if (const auto fault = find_fault(p)) object.refuse(*fault);
  object.finish();
  return p;
}

RecordedLaunch read_launch(StrictObject object) {
  RecordedLaunch launch;
  launch.threads_per_block = object.integer("threads_per_block", 1, 1024);
  launch.registers_per_thread = object.integer("registers_per_thread", 1, 255);
  launch.shared_bytes_per_block = object.integer("shared_bytes_per_block", 0, 1 << 20);
  launch.blocks_per_sm = object.integer("blocks_per_sm", 1, 64);
  launch.bytes_in_flight_per_block = object.integer("bytes_in_flight_per_block", 1, 1 << 20);
  object.finish();
  return launch;
}

std::vector<RecordedBlock> read_blocks(StrictObject object, const Recording& recording) {
  std::array<std::vector<std::int64_t>, kColumns.size()> column;
  const DecodeShape& p = recording.problem;
  const std::array<std::int64_t, kColumns.size()> most{
      p.batch - 1, p.q_heads - 1, recording.num_splits - 1, recording.sm_count - 1, kMost, kMost, kMost};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    column[c] = object.integers(kColumns[c], 0, most[c]);
    if (column[c].size() != column[0].size())
      object.refuse(fmt::format("expected {} entries in '{}' as in 'sequence', found {}", column[0].size(),
                                kColumns[c], column[c].size()));
    column[c].resize(column[0].size());
  }
  object.finish();
  if (column[0].empty() || column[0].size() > kMostBlocks)
    object.refuse(fmt::format("expected 1 to {} blocks, found {}", kMostBlocks, column[0].size()));

  std::vector<RecordedBlock> blocks(column[0].size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto small = [&](std::size_t c) { return static_cast<std::int32_t>(column[c][i]); };
    blocks[i] = {small(0), small(1), small(2), small(3), column[4][i], column[5][i], column[6][i]};
    if (blocks[i].end_ns < blocks[i].start_ns + (blocks[i].bytes > 0 ? 1 : 0))
      object.refuse(fmt::format("expected block {} to end after it starts at {} ns, found {} ns", i,
                                blocks[i].start_ns, blocks[i].end_ns));
  }
  return blocks;
}

/// A block for each sequence, head and split, every byte read once for each head that needs it.
std::optional<std::string> find_work_fault(const Recording& r) {
  const DecodeShape& p = r.problem;
  const auto count = std::ssize(r.blocks);
  const std::int64_t splits_of_head = p.batch * r.num_splits;
  const std::int64_t heads = count == splits_of_head * p.q_heads ? p.q_heads : p.kv_heads;
  if (count != splits_of_head * heads)
    return fmt::format(
        "expected a block for each of {} sequences, {} KV heads or {} query heads, and {} splits, "
        "found {} blocks",
        p.batch, p.kv_heads, p.q_heads, r.num_splits, count);
  std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> places;
  std::int64_t bytes = 0;
  for (const RecordedBlock& b : r.blocks) {
    if (!places.insert({b.sequence, b.head, b.split}).second)
      return fmt::format("expected one block for sequence {}, head {}, split {}, found two", b.sequence,
                         b.head, b.split);
    bytes += b.bytes;
  }
  const std::int64_t expected = p.kv_bytes() * (heads / p.kv_heads);
  if (bytes != expected)
    return fmt::format("expected the blocks to read {} bytes of K and V together, found {}", expected, bytes);
  return std::nullopt;
}

/// No SM holds more blocks at a time than the launch allows, as far as the clock can tell.
std::optional<std::string> find_residence_fault(const Recording& r) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, int>>> changes;
  for (const RecordedBlock& b : r.blocks) {
    changes[b.sm].emplace_back(b.start_ns, 1);
    changes[b.sm].emplace_back(std::max(b.start_ns, b.end_ns - r.clock_resolution_ns), -1);
  }
  for (auto& [sm, moments] : changes) {
    std::sort(moments.begin(), moments.end());  // those that leave come first
    std::int64_t resident = 0;
    for (const auto& [ns, change] : moments)
      if (resident += change; resident > r.launch.blocks_per_sm)
        return fmt::format("expected at most {} blocks at a time on SM {}, found {} at {} ns",
                           r.launch.blocks_per_sm, sm, resident, ns);
  }
  return std::nullopt;
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || (c >= '0' && c <= '9'); }))
    return false;
  const auto number = [&](std::size_t at, std::size_t size) { return std::stoi(text.substr(at, size)); };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

Recording read_fields(StrictObject& object) {
  Recording r;
  if (const std::string format = object.text("format"); format != kRecordingFormat)
    object.refuse(fmt::format("expected 'format' to be {}, found '{}'", kRecordingFormat, format));
  object.integer("version", kRecordingVersion, kRecordingVersion);
  r.kernel = object.text("kernel");
  r.device = object.text("device");
  r.driver = object.text("driver");
  r.date = object.text("date");
  if (!is_date(r.date)) object.refuse(fmt::format("expected 'date' as in 2026-11-30, found '{}'", r.date));
  r.sm_count = object.integer("sm_count", 1, 4096);

  StrictObject clock = object.object("clock");
  r.clock_source = clock.text("source");
  if (r.clock_source != "globaltimer" && r.clock_source != "globaltimer+clock64")
    clock.refuse(fmt::format("expected 'source' to be globaltimer or globaltimer+clock64, found '{}'",
                             r.clock_source));
  r.clock_resolution_ns = clock.integer("resolution_ns", 1, 1'000'000);
  clock.finish();

  r.problem = read_problem(object.object("problem"));
  StrictObject plan = object.object("plan");
  r.tile_size = plan.integer("tile_size", 1, kMost);
  r.num_splits = plan.integer("num_splits", 1, INT32_MAX);
  plan.finish();
  r.launch = read_launch(object.object("launch"));

  StrictObject time = object.object("time");
  r.time_us = time.positive_number("median_us");
  if (r.time_us > kMostUs)
    time.refuse(fmt::format("expected 'median_us' to be at most {}, found {}", kMostUs, r.time_us));
  r.time_runs = time.integer("runs", 1, kMost);
  time.finish();

  r.blocks = read_blocks(object.object("blocks"), r);
  if (object.has("merge_blocks")) r.merge_blocks = read_blocks(object.object("merge_blocks"), r);
  object.finish();
  return r;
}

template <class Blocks>
std::int64_t earliest_start(const Blocks& blocks) {
  return std::min_element(blocks.begin(), blocks.end(),
                          [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; })
      ->start_ns;
}

json columns_of(const std::vector<RecordedBlock>& blocks) {
  json columns = json::object();
  for (const char* name : kColumns) columns[name] = json::array();
  for (const RecordedBlock& b : blocks) {
    const std::array<std::int64_t, kColumns.size()> row{b.sequence, b.head,   b.split, b.sm,
                                                        b.start_ns, b.end_ns, b.bytes};
    for (std::size_t c = 0; c < kColumns.size(); ++c) columns[kColumns[c]].push_back(row[c]);
  }
  return columns;
}

}  // namespace

std::int64_t Recording::span_ns() const {
  std::int64_t last = 0;
  for (const auto* list : {&blocks, &merge_blocks})
    for (const RecordedBlock& block : *list) last = std::max(last, block.end_ns);
  return last;
}

std::string Recording::badge() const { return fmt::format("{}, driver {}, {}", device, driver, date); }

Result<Recording> parse_recording(std::string_view text, const std::string& name) {
  const Result<json> parsed = parse_json_object(text, name);
  if (!parsed) return parsed.fault();
  std::optional<Fault> fault;
  StrictObject object(*parsed, name, fault);
  Recording recording = read_fields(object);
  if (fault) return *fault;
  if (const std::int64_t start = earliest_start(recording.blocks); start != 0)
    return Fault{fmt::format("{}: expected the earliest block to start at 0 ns, found {} ns", name, start)};
  for (const auto& sentence : {find_work_fault(recording), find_residence_fault(recording)})
    if (sentence) return Fault{fmt::format("{}: {}", name, *sentence)};
  return recording;
}

Result<Recording> read_recording(const std::string& path) {
  const Result<MappedFile> file = map_file(path);
  if (!file) return file.fault();
  return parse_recording({reinterpret_cast<const char*>(file->data.get()), file->size}, path);
}

std::string to_json(const Recording& r) {
  const DecodeShape& p = r.problem;
  json problem{{"batch", p.batch},           {"q_heads", p.q_heads},
               {"kv_heads", p.kv_heads},     {"q_len", p.q_len},
               {"kv_len", p.kv_len},         {"head_dim", p.head_dim},
               {"v_head_dim", p.v_head_dim}, {"kv_dtype", name_of(p.kv_dtype)}};
  if (!p.kv_lens.empty()) problem["kv_lens"] = p.kv_lens;
  json object{{"format", kRecordingFormat},
              {"version", kRecordingVersion},
              {"kernel", r.kernel},
              {"device", r.device},
              {"driver", r.driver},
              {"date", r.date},
              {"sm_count", r.sm_count},
              {"clock", {{"source", r.clock_source}, {"resolution_ns", r.clock_resolution_ns}}},
              {"problem", problem},
              {"plan", {{"tile_size", r.tile_size}, {"num_splits", r.num_splits}}},
              {"launch",
               {{"threads_per_block", r.launch.threads_per_block},
                {"registers_per_thread", r.launch.registers_per_thread},
                {"shared_bytes_per_block", r.launch.shared_bytes_per_block},
                {"blocks_per_sm", r.launch.blocks_per_sm},
                {"bytes_in_flight_per_block", r.launch.bytes_in_flight_per_block}}},
              {"time", {{"median_us", r.time_us}, {"runs", r.time_runs}}},
              {"blocks", columns_of(r.blocks)}};
  if (!r.merge_blocks.empty()) object["merge_blocks"] = columns_of(r.merge_blocks);
  return object.dump() + "\n";
}

}  // namespace fdlab

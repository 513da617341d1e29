// A recording: what one kernel really did on one GPU, block by block. The CUDA recorder writes it, the
// simulator is judged by it, the window draws it. Format and version: core/sim/FORMATS.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"
#include "core/sim/decode_shape.h"

namespace fdlab {

inline constexpr const char* kRecordingFormat = "fdlab-recording";
inline constexpr int kRecordingVersion = 1;

/// One thread block, in launch order: the linear block index is its place in the list.
struct RecordedBlock {
  std::int32_t sequence = 0, head = 0,
               split = 0;                 ///< what it worked on; head: the KV head, or the query head
  std::int32_t sm = 0;                    ///< %smid
  std::int64_t start_ns = 0, end_ns = 0;  ///< the first block of the recording starts at 0
  std::int64_t bytes = 0;                 ///< bytes of K and V read
};

/// What a block occupies, and how much of the memory's latency it hides.
struct RecordedLaunch {
  std::int64_t threads_per_block = 0, registers_per_thread = 0, shared_bytes_per_block = 0;
  std::int64_t blocks_per_sm = 0;              ///< resident at once, as the driver's occupancy query says
  std::int64_t bytes_in_flight_per_block = 0;  ///< KV bytes asked for and not yet arrived, at most
};

struct Recording {
  std::string kernel;                ///< its name in the ladder
  std::string device, driver, date;  ///< "NVIDIA H200", "580.159.04", "2026-11-30"
  std::int64_t sm_count = 0;
  std::string clock_source;              ///< "globaltimer" or "globaltimer+clock64"
  std::int64_t clock_resolution_ns = 0;  ///< smallest step seen
  DecodeShape problem;
  std::int64_t tile_size = 0, num_splits = 1;
  RecordedLaunch launch;
  double time_us = 0;          ///< whole call, merge included, recorder off, median
  std::int64_t time_runs = 0;  ///< how many runs the median is of
  std::vector<RecordedBlock> blocks;
  std::vector<RecordedBlock> merge_blocks;  ///< of a second kernel; empty where one kernel does all

  std::int64_t span_ns() const;  ///< first start to last end, merge included
  std::string badge() const;     ///< "NVIDIA H200, driver 580.159.04, 2026-11-30": shown beside every figure
};

/// Strict: an unknown field, a missing one, a wrong type, an unequal column or an impossible value is refused
/// in one sentence that begins with `name`.
Result<Recording> parse_recording(std::string_view json, const std::string& name);
Result<Recording> read_recording(const std::string& path);

/// The JSON text that parse_recording reads back unchanged.
std::string to_json(const Recording& recording);

}  // namespace fdlab

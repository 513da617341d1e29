#include <span>

#include "cli/cuda.h"
#include "cli/cuda_kernel.h"
#include "cli/exit_code.h"
#include "core/io/staged_file.h"
#include "cuda/recorder.h"

namespace fdlab::cli {
namespace {

/// One line a person can hold against the recording.
void print_summary(const Recording& r) {
  fmt::print(
      "{} · {} splits · {} blocks on {} SMs · a call takes {:.2f} us, the recorded one spans {:.2f} us\n{}\n",
      r.kernel, r.num_splits, r.blocks.size(), r.sm_count, r.time_us, static_cast<double>(r.span_ns()) / 1000,
      r.badge());
}

}  // namespace

int record_on_cuda(const RecordOptions& o) {
  const Result<const Rung*> rung = find_rung(o.launch.kernel);
  if (!rung) return fail(kBadInput, rung.fault().sentence);
  const Result<Recording> recording = record_on_device({o.shape, *rung, o.launch.num_splits}, find_device());
  if (!recording) return fail(kBadInput, recording.fault().sentence);
  const std::string json = to_json(*recording);
  if (o.path.empty()) {
    fmt::print("{}", json);
    return kDone;
  }
  Result<StagedFile> file = StagedFile::write(o.path, {std::as_bytes(std::span(json))});
  if (!file) return fail(kBadInput, file.fault().sentence);
  if (const auto fault = file->commit()) return fail(kBadInput, fault->sentence);
  print_summary(*recording);
  return kDone;
}

}  // namespace fdlab::cli

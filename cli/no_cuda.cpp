// A build without a CUDA part.
#include "cli/cuda.h"
#include "cli/exit_code.h"

namespace fdlab::cli {
namespace {

constexpr const char* kNone = "no CUDA part in this build";

}  // namespace

CudaState cuda_state() { return {false, kNone}; }
Result<Ran> run_on_cuda(const RunOptions&, const DecodeProblem&) { return Fault{kNone}; }
int bench_on_cuda(const BenchCudaOptions&) { return fail(kNotHere, kNone); }
int record_on_cuda(const RecordOptions&) { return fail(kNotHere, kNone); }

}  // namespace fdlab::cli

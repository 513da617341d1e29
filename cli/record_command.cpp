// fdlab record: a kernel run once on the GPU, and what each of its blocks did.
#include <limits>
#include <memory>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/exit_code.h"
#include "cli/shape_options.h"

namespace fdlab::cli {
namespace {

int record(RecordOptions o) {
  if (const auto fault = complete_shape(o.shape)) return fail(kBadInput, fault->sentence);
  if (const CudaState cuda = cuda_state(); !cuda.available)
    return fail(kNotHere, "expected a CUDA device to record, found " + cuda.text);
  return record_on_cuda(o);
}

}  // namespace

void add_record(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("record", "run a kernel on the GPU and keep what each block did, as JSON");
  const auto options = std::make_shared<RecordOptions>();
  options->shape = {1, 32, 8, 1, 4096, 128, 128, DType::bf16, {}};
  options->launch.kernel = "one-kernel";
  add_shape_options(*command, options->shape);
  command
      ->add_option("--kernel", options->launch.kernel, "one-block or one-kernel: those built with a recorder")
      ->capture_default_str()
      ->type_name("NAME")
      ->check(kernel_name());
  command->add_option("--splits", options->launch.num_splits, "splits of each sequence (default: chosen)")
      ->check(whole_number(1, std::numeric_limits<std::int32_t>::max()))
      ->type_name("N");
  command->add_option("--out", options->path, "write the recording here instead of printing it")
      ->check(file_name())
      ->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = record(*options); });
}

}  // namespace fdlab::cli

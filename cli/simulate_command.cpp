// fdlab simulate: what every SM of a GPU does in one decode step, and when.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/shape_options.h"
#include "cli/simulate_text.h"
#include "core/io/printable.h"
#include "core/io/staged_file.h"
#include "core/sim/against.h"
#include "core/sim/kernel_fit.h"
#include "core/sim/measured.h"
#include "core/sim/schedule_json.h"
#include "core/sim/simulate.h"
#include "lessons/resources.h"

namespace fdlab::cli {
namespace {

struct Options {
  std::string gpu = "h200", kernel = "split", splits = "auto", link = "nvlink-h200";
  DecodeShape shape{1, 32, 8, 1, 32768, 128, 128, DType::bf16, {}};
  std::int64_t devices = 1;
  bool kv_in_l2 = false, json = false, calibrate = false;
  std::string perfetto, against, fit;
  std::optional<double> at_us;
  TextSize size;
};

Result<std::int64_t> count_of_splits(const Options& o, const Gpu& gpu, const KernelModel& kernel) {
  if (o.splits == "auto") return auto_splits(gpu, kernel, o.shape);
  std::int64_t splits = 0;
  const char* end = o.splits.data() + o.splits.size();
  const auto [rest, error] = std::from_chars(o.splits.data(), end, splits);
  if (error != std::errc{} || rest != end)
    return Fault{"expected --splits to be auto or an integer, found '" + printable(o.splits, 40) + "'"};
  return splits;
}

std::optional<Fault> check_moment(const Options& o, const Schedule& schedule) {
  if (!o.at_us || *o.at_us <= schedule.time_us) return std::nullopt;
  return Fault{fmt::format("--at-us: expected a moment of the call, from 0 to {:.2f} us, found {:.6g}",
                           schedule.time_us, *o.at_us)};
}

std::optional<Fault> write_perfetto(const std::string& path, const Schedule& schedule) {
  const std::string text = to_perfetto(schedule);
  auto staged = StagedFile::write(path, {std::as_bytes(std::span(text))});
  if (!staged) return staged.fault();
  return staged->commit();
}

int refuse(const Fault& fault) { return fail(kBadInput, fault.sentence); }

int compare_with_recording(const Options& o) {
  const auto recording = read_recording(o.against);
  if (!recording) return refuse(recording.fault());
  const auto gpu = o.gpu == "h200" ? find_gpu_of_device(recording->device) : find_gpu(o.gpu);
  if (!gpu) return refuse(gpu.fault());
  const auto comparison = compare_with(*gpu, *recording);
  if (!comparison) return refuse(comparison.fault());
  print_comparison(*comparison, *recording);
  return kDone;
}

int fit_to_recordings(const Options& o) {
  const auto lessons = find_lessons_folder();
  if (!lessons) return refuse(lessons.fault());
  const auto recordings = read_recordings(*lessons / "recordings");
  if (!recordings) return refuse(recordings.fault());
  const FitHalves halves = halves_of(*recordings, o.fit);
  if (free_constants(o.fit).empty() || halves.held_out.empty())
    return refuse(
        {"--fit: expected a recorded kernel, one-block or one-kernel, found '" + printable(o.fit, 40) + "'"});
  const auto gpu = find_gpu_of_device(halves.seen.front().device);
  if (!gpu) return refuse(gpu.fault());
  print_fit(*gpu, o.fit, *recordings);
  return kDone;
}

int show_communication(const Options& o) {
  const auto link = find_link(o.link);
  if (!link) return refuse(link.fault());
  const auto exchanges = all_exchanges(o.shape, o.devices, *link);
  if (!exchanges) return refuse(exchanges.fault());
  print_exchanges(*exchanges, o.shape, o.devices, *link);
  return kDone;
}

/// What --against, --fit, --calibrate and --devices take beside them; anything else would be ignored in silence.
struct Task {
  const char* option;
  std::vector<std::string> takes;
};

std::vector<Task> tasks() {
  CLI::App shape_only;
  DecodeShape shape;
  shape_only.set_help_flag();
  add_shape_options(shape_only, shape);
  std::vector<std::string> shape_and_link{"--link"};
  for (const CLI::Option* option : shape_only.get_options()) shape_and_link.push_back(option->get_name());
  return {{"--against", {"--gpu"}}, {"--fit", {}}, {"--calibrate", {"--gpu"}}, {"--devices", shape_and_link}};
}

std::optional<Fault> find_idle_option(const CLI::App& command) {
  const auto is_given = [&](const std::string& name) { return command.get_option(name)->count() > 0; };
  for (const Task& task : tasks()) {
    if (!is_given(task.option)) continue;
    for (const CLI::Option* option : command.get_options()) {
      const std::string name = option->get_name();
      if (option->count() == 0 || name == task.option ||
          std::find(task.takes.begin(), task.takes.end(), name) != task.takes.end())
        continue;
      return Fault{fmt::format(
          "expected {} beside {}, found {}",
          task.takes.empty() ? "no other option" : fmt::format("only {}", fmt::join(task.takes, ", ")),
          task.option, name)};
    }
    return std::nullopt;
  }
  if (is_given("--link")) return Fault{"expected --devices beside --link, found none"};
  return std::nullopt;
}

int simulate(const CLI::App& command, Options& o) {
  if (const auto fault = find_idle_option(command)) return refuse(*fault);
  if (!o.against.empty()) return compare_with_recording(o);
  if (command.count("--fit") > 0) return fit_to_recordings(o);
  if (const auto fault = complete_shape(o.shape)) return refuse(*fault);
  if (command.count("--devices") > 0) return show_communication(o);
  const auto gpu = find_gpu(o.gpu);
  if (!gpu) return refuse(gpu.fault());
  if (o.calibrate) {
    print_calibration(*gpu);
    return kDone;
  }
  const auto kernel = find_kernel(o.kernel);
  if (!kernel) return refuse(kernel.fault());
  const auto splits = count_of_splits(o, *gpu, *kernel);
  if (!splits) return refuse(splits.fault());
  const auto schedule = simulate_step(*gpu, *kernel, o.shape, {*splits, o.kv_in_l2});
  if (!schedule) return refuse(schedule.fault());
  if (const auto fault = check_moment(o, *schedule)) return refuse(*fault);
  if (!o.perfetto.empty())
    if (const auto fault = write_perfetto(o.perfetto, *schedule)) return refuse(*fault);
  if (o.json) fmt::print("{}", to_json(*schedule));
  else print_schedule(*schedule, *gpu, o.at_us, o.size);
  return kDone;
}

void add_options(CLI::App& command, Options& o) {
  command.add_option("--gpu", o.gpu, "a GPU by name, or a .toml file that describes one")
      ->capture_default_str();
  command.add_option("--kernel", o.kernel, "a kernel by name: split, one-block, one-kernel")
      ->capture_default_str();
  add_shape_options(command, o.shape);
  command.add_option("--splits", o.splits, "auto, or how many")->capture_default_str();
  command.add_flag("--warm", o.kv_in_l2, "K and V are in L2 from the step before, if they fit");
  command.add_option("--at-us", o.at_us, "moment of the SM board; half the span unless given")
      ->check(non_negative_number())
      ->type_name("US");
  command.add_option("--columns", o.size.columns, "width of the picture")
      ->check(whole_number(20, 1000))
      ->type_name("N");
  command.add_option("--lanes", o.size.lanes, "lines of the picture of lanes")
      ->check(whole_number(1, 4096))
      ->type_name("N")
      ->capture_default_str();
  command.add_flag("--json", o.json, "print the schedule as JSON (core/sim/FORMATS.md)");
  command.add_option("--perfetto", o.perfetto, "write the schedule as a trace for ui.perfetto.dev")
      ->check(file_name())
      ->type_name("FILE");
  command
      .add_option("--against", o.against, "a recording: print predicted beside measured, and the residual")
      ->check(file_name())
      ->type_name("FILE");
  command.add_option("--devices", o.devices, "GPUs that share the KV cache: print what they must exchange")
      ->check(whole_number(1, 65536))
      ->type_name("N");
  command.add_option("--link", o.link, "between the GPUs")->capture_default_str();
  command
      .add_option("--fit", o.fit,
                  "fit a recorded kernel's constants to half of its recordings and print all of them")
      ->type_name("KERNEL");
  command.add_flag("--calibrate", o.calibrate,
                   "fit the model's constants to the measured reads and print all rows");
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simulate", "say what every SM of a GPU does in one decode step");
  add_options(*command, *options);
  command->callback([command, options, &exit_code] { exit_code = simulate(*command, *options); });
}

}  // namespace fdlab::cli

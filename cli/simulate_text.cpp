#include "cli/simulate_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/io/counted.h"
#include "core/sim/calibration.h"
#include "core/sim/kernel_fit.h"
#include "core/sim/schedule_text.h"

namespace fdlab::cli {
namespace {

constexpr int kUsualColumns = 80, kMostColumns = 160;

int columns_of(const TextSize& size) {
  if (size.columns > 0) return size.columns;
  winsize terminal{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0 || terminal.ws_col < 20) return kUsualColumns;
  return std::min<int>(terminal.ws_col, kMostColumns);
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_times(const Schedule& s) {
  fmt::print("\n{:>10.2f} us predicted for the call (model, not measured), set by {} ({:.0f} %)\n", s.time_us,
             name_of(s.bound), 100 * s.bound_share);
  const auto part = [](const char* what, double us) {
    if (us > 0) fmt::print("{:>10.2f} us {}\n", us, what);
  };
  part("launch", s.launch_us);
  part("bandwidth: the blocks ask for more than the memory gives", s.split.bandwidth_us);
  part("latency: too few bytes in flight", s.split.latency_us);
  part("arithmetic: the SMs read as fast as they compute", s.split.arithmetic_us);
  part("tail: a block has ended and none is left to take its place", s.split.tail_us);
  part("merge", s.merge_us);
}

void print_ratios(const Schedule& s) {
  fmt::print("\nfour ratios, all called utilisation\n");
  fmt::print("{:>9.1f} % kernel running: of the call's time, in which a kernel runs\n",
             100 * s.ratios.kernel_running);
  fmt::print("{:>9.1f} % SMs with work: of all SMs, averaged over the split kernel\n",
             100 * s.ratios.sms_with_work);
  fmt::print("{:>9.1f} % occupancy: of the warps that fit the SMs in use, those resident\n",
             100 * s.ratios.occupancy);
  fmt::print("{:>9.1f} % last wave filled: of one wave's slots\n", 100 * s.ratios.last_wave_filled);
  fmt::print(
      "\nslots filled {:.1f} % over {}, time efficiency {:.1f} % (the KV bytes at {:.0f} GB/s, over the "
      "time)\n",
      100 * s.slot_efficiency, counted(s.waves, "wave"), 100 * s.time_efficiency, s.ceiling_gb_s);
}

void print_constants(const Gpu& gpu) {
  fmt::print("model constants");
  const auto values = free_constants(gpu);
  for (std::size_t i = 0; i < values.size(); ++i)
    fmt::print("{} {} {:.4f}", i == 0 ? ":" : ",", kFreeConstants[i], values[i]);
}

}  // namespace

void print_schedule(const Schedule& s, const Gpu& gpu, std::optional<double> at_us, const TextSize& size) {
  const DecodeShape& p = s.shape;
  const int columns = columns_of(size);
  fmt::print("{}, {}, kernel {}: batch {}, {} on {}, {}, head_dim {}, {} KV\n", s.gpu, counted(s.sms, "SM"),
             s.kernel, p.batch, counted(p.q_heads, "query head"), counted(p.kv_heads, "KV head"),
             counted(p.kv_len, "key"), p.head_dim, name_of(p.kv_dtype));
  fmt::print("{}, {}, {} an SM at a time (limited by {}), {:.1f} MB of K and V\n",
             counted(s.num_splits, "split"), counted(std::ssize(s.split.blocks), "block"),
             s.split.blocks_per_sm, s.split.occupancy_limit, static_cast<double>(p.kv_bytes()) * 1e-6);
  print_times(s);
  print_ratios(s);
  const double moment_us = at_us.value_or(s.split.span_us / 2);
  fmt::print("\nSMs at {:.1f} us: the KV head of a block, .n for n blocks, a dot where an SM is idle\n",
             moment_us);
  print_lines(sm_board(s, moment_us, columns));
  fmt::print("\nSMs with work over time, in launch order\n");
  print_lines(sm_lanes(s, columns, size.lanes));
  fmt::print("\n");
  print_constants(gpu);
  fmt::print("\nfitted on {}\n", s.model_origin);
}

void print_comparison(const Comparison& comparison, const Recording& recording) {
  const std::string model = kernel_of(recording).name;
  fmt::print("{}: predicted by the model{}, measured on {} (clock step {} ns)\n\n", recording.kernel,
             model == recording.kernel ? "" : " of " + model + ", for want of one of that name",
             recording.badge(), recording.clock_resolution_ns);
  fmt::print("  {:<38}{:>12}{:>12}{:>10}\n", "", "predicted", "measured", "residual");
  for (const Residual& r : comparison.residuals)
    fmt::print("  {:<38}{:>12.2f}{:>12.2f}{:>+9.1f}%\n",
               fmt::format("{}{}{}", r.what, *r.unit ? ", " : "", r.unit), r.predicted, r.measured,
               100 * r.relative());
}

void print_exchanges(const std::vector<Exchange>& exchanges, const DecodeShape& shape, std::int64_t devices,
                     const Link& link) {
  fmt::print("{} GPUs over {} ({:.0f} GB/s, {:.2f} us; {})\n\n", devices, link.name, link.gb_s,
             link.latency_us, link.source);
  fmt::print("  {:<12}{:<9}{:>8}{:>16}{:>18}{:>14}\n", "pattern", "sends", "rounds", "message, bytes",
             "all links, bytes", "time, us");
  for (const Exchange& e : exchanges)
    fmt::print("  {:<12}{:<9}{:>8}{:>16}{:>18}{:>14.2f}\n", name_of(e.pattern), name_of(e.payload), e.rounds,
               e.message_bytes, e.total_bytes, e.time_us);
  const auto with_ml = static_cast<double>(numbers_per_row(shape, Payload::mlo));
  fmt::print(
      "\nA row's message is {} numbers with (m, l) and {} with the log-sum-exp: {:.2f} % less. Counting o as "
      "one number\n"
      "gives 3 against 2; that third would be real only at a head_dim of 1.\n",
      numbers_per_row(shape, Payload::mlo), numbers_per_row(shape, Payload::lse), 100 / with_ml);
}

void print_calibration(Gpu gpu) {
  const ReadSweep sweep = read_sweep();
  gpu.memory = fit_memory_model(gpu, sweep, {128, 512});
  print_constants(gpu);
  fmt::print("\nfitted on the rows of 128 and 512 threads; measured on {}\n\n", sweep.badge());
  fmt::print("  threads  blocks  predicted, us  measured, us  residual\n");
  for (const bool fitted : {true, false}) {
    double sum = 0, most = 0;
    int rows = 0;
    for (const MeasuredRead& row : sweep.rows) {
      if ((row.threads == 128 || row.threads == 512) != fitted) continue;
      const double span_us = predict_read(gpu, sweep, row).span_us, error = span_us / row.span_us - 1;
      fmt::print("  {:>7}  {:>6}  {:>13.2f}  {:>12.2f}  {:>+7.1f}%\n", row.threads, row.blocks, span_us,
                 row.span_us, 100 * error);
      sum += std::abs(error);
      most = std::max(most, std::abs(error));
      ++rows;
    }
    fmt::print("  {} {} rows: mean {:.2f} %, largest {:.2f} %\n\n", rows, fitted ? "fitted" : "predicted",
               100 * sum / rows, 100 * most);
  }
}

void print_fit(const Gpu& gpu, const std::string& kernel, const std::vector<Recording>& recordings) {
  const FitHalves halves = halves_of(recordings, kernel);
  const KernelModel fitted = fit_kernel(gpu, kernel, halves.seen), stored = *find_kernel(kernel);
  fmt::print("{}, fitted on every second recording from the largest down; measured on {}\n\n", kernel,
             halves.seen.front().badge());
  for (const KernelConstant& c : free_constants(kernel))
    fmt::print("  {:<14}{:>10.5f}   stored: {:.5f}\n", c.name, fitted.*c.value, stored.*c.value);
  fmt::print(
      "\n  batch  heads  KV heads    keys  splits  predicted, us  measured, us  residual  SMs with work, "
      "points\n");
  for (const auto* half : {&halves.seen, &halves.held_out}) {
    for (const Recording& r : *half)
      if (const auto comparison = compare_with(gpu, r, fitted))
        fmt::print("  {:>5}  {:>5}  {:>8}  {:>6}  {:>6}  {:>13.2f}  {:>12.2f}  {:>+7.1f}%  {:>+21.1f}\n",
                   r.problem.batch, r.problem.q_heads, r.problem.kv_heads, r.problem.kv_len, r.num_splits,
                   comparison->call().predicted, comparison->call().measured,
                   100 * comparison->call().relative(), comparison->sms_with_work().difference());
    const FitError error = error_of(gpu, fitted, *half);
    fmt::print("  {} {}: mean {:.2f} %, SMs with work {:.2f} points\n\n", half->size(),
               half == &halves.seen ? "fitted" : "held out", 100 * error.time, 100 * error.busy);
  }
}

}  // namespace fdlab::cli

#include "cuda/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/cuda.h"
#include "cli/cuda_kernel.h"

namespace fdlab::cli {
namespace {

constexpr Method kProductionMethod = Method::mlo_unnormalised;  // what its partials are

/// The rung whose partials are those of a method. Standard attention keeps all scores of a row; no kernel does.
struct RungOfMethod {
  Method method;
  const char* kernel;
};
constexpr RungOfMethod kRungs[] = {{Method::online, "one-block"},
                                   {Method::mlo, "split-mlo"},
                                   {Method::lse, "split-lse"},
                                   {Method::mlo_unnormalised, "vector-loads"}};

/// Null: the production kernel.
Result<const Rung*> rung_for(const RunOptions& o) {
  if (!o.gives("--method")) return find_rung(o.kernel);
  for (const RungOfMethod& r : kRungs)
    if (r.method == o.method) return find_rung(r.kernel);
  return Fault{
      fmt::format("expected a method that a kernel uses (online, mlo, mlo-unnormalised or lse) with "
                  "--backend cuda, found {}",
                  name_of(o.method))};
}

Method method_of(const RunOptions& o, const Rung* rung) {
  if (o.gives("--method")) return o.method;
  for (const RungOfMethod& r : kRungs)
    if (rung && rung->name == std::string_view(r.kernel)) return r.method;
  return kProductionMethod;
}

/// A kernel's plan leaves the number of splits open, and nothing else.
std::optional<Fault> check_plan_options(const RunOptions& o, const Rung* rung) {
  for (const char* name : {"--streams", "--deal", "--merge", "--merge-tree", "--isa"})
    if (o.gives(name))
      return Fault{
          fmt::format("expected --splits as the only plan option with --backend cuda, found {}", name)};
  if (o.gives("--tile") && o.plan.tile_size != kTileKeys)
    return Fault{fmt::format("expected a --tile of {} keys, the kernels' own, with --backend cuda, found {}",
                             kTileKeys, o.plan.tile_size)};
  if (rung && rung->number == 1 && o.gives("--splits") && !o.automatic_splits && o.plan.num_streams != 1)
    return Fault{fmt::format("expected 1 split with the kernel {}, which does not split, found {}",
                             rung->name, o.plan.num_streams)};
  return std::nullopt;
}

std::int32_t splits_asked_for(const RunOptions& o) {
  if (!o.gives("--splits") || o.automatic_splits) return 0;
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(o.plan.num_streams, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

Result<Ran> run_on_cuda(const RunOptions& o, const DecodeProblem& problem) {
  const Result<const Rung*> rung = rung_for(o);
  if (!rung) return rung.fault();
  if (const auto fault = check_plan_options(o, *rung)) return *fault;
  const DeviceInfo device = find_device();
  if (!device.available) return Fault{device.reason};

  Result<DeviceOutput> out =
      run_on_device(problem, device.limits, {.num_splits = splits_asked_for(o)}, *rung);
  if (!out) return out.fault();
  const std::int64_t splits = splits_of(out->plan, *rung);
  Ran ran;
  ran.output = {std::move(out->o), std::move(out->lse_ln)};
  ran.method = method_of(o, *rung);
  ran.plan = {.tile_size = kTileKeys, .num_streams = splits, .deal = Deal::balanced};
  ran.executor = "kernel";
  ran.on_device = {device.name, device.driver, *rung ? (*rung)->name : out->plan.kernel, splits,
                   merge_name(out->plan, *rung)};
  return ran;
}

}  // namespace fdlab::cli

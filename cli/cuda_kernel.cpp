#include "cli/cuda_kernel.h"

#include <fmt/format.h>

#include "core/io/printable.h"

namespace fdlab::cli {

Result<const Rung*> find_rung(const std::string& name) {
  if (name.empty()) return nullptr;
  std::string names;
  for (const Rung& rung : ladder()) {
    if (name == rung.name) return &rung;
    names += (names.empty() ? "" : ", ") + std::string(rung.name);
  }
  return Fault{fmt::format("expected a --kernel of {}, found '{}'", names, printable(name, 80))};
}

std::int64_t splits_of(const CudaPlan& plan, const Rung* rung) {
  return rung && rung->number == 1 ? 1 : plan.rule.num_splits;
}

const char* merge_name(const CudaPlan& plan, const Rung* rung) {
  if (splits_of(plan, rung) == 1) return name_of(SplitMerge::none);
  const bool merges_itself = plan.is_tuned && (!rung || rung->number == 7);
  return merges_itself ? name_of(plan.merge) : "second-kernel";
}

}  // namespace fdlab::cli

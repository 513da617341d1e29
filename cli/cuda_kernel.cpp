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

}  // namespace fdlab::cli

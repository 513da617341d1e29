#include "viz/dump.h"

#include <nlohmann/json.hpp>

namespace fdlab {

const DumpEntry* Dump::find(std::string_view id) const {
  for (const DumpEntry& entry : entries)
    if (entry.id == id) return &entry;
  return nullptr;
}

std::string to_json(const Dump& dump) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const DumpEntry& e : dump.entries)
    entries.push_back({{"id", e.id},
                       {"label", e.label},
                       {"value", e.value},
                       {"rect", {e.rect.x0, e.rect.y0, e.rect.x1, e.rect.y1}},
                       {"clipped", e.is_clipped}});
  const nlohmann::ordered_json root{{"format", "fdlab-window-dump"}, {"version", 1}, {"entries", entries}};
  return root.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fdlab

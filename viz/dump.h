// The semantic dump: what a person can read off the frame, as data. Views fill it while they draw; tests and
// --dump read it. Ids do not change with the language, the theme or the scale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/rect.h"

namespace fdlab {

struct DumpEntry {
  std::string id;           ///< "card.8.m"; empty for text that only decorates
  std::string label;        ///< what the thing is called on the screen, "m"
  std::string value;        ///< the text bound to it, "9.614"
  Rect rect;                ///< pixels
  bool is_clipped = false;  ///< shortened by an ellipsis or cut by the edge of its area
};

struct Dump {
  std::vector<DumpEntry> entries;
  void clear() { entries.clear(); }
  const DumpEntry* find(std::string_view id) const;
};

/// {"format": "fdlab-window-dump", "version": 1, "entries": [{id, label, value, rect: [x0, y0, x1, y1],
/// clipped}]}
std::string to_json(const Dump& dump);

}  // namespace fdlab

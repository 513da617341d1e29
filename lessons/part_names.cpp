#include "lessons/part_names.h"

#include <fmt/format.h>

namespace fdlab {

bool streams_are_tiles(const DecodePlan& plan) { return plan.num_streams == plan.num_tiles(); }

Bilingual streams_name(const DecodePlan& plan, std::int64_t begin, std::int64_t end) {
  const bool are_tiles = streams_are_tiles(plan);
  const char* en = are_tiles ? "tile" : "stream";
  const char* zh = are_tiles ? "tile" : "tile 流";
  if (end - begin == 1) return {fmt::format("{} {}", en, begin), fmt::format("{} {}", zh, begin)};
  return {fmt::format("{}s {}–{}", en, begin, end - 1), fmt::format("{} {}–{}", zh, begin, end - 1)};
}

Bilingual node_name(const Trace& trace, std::int64_t node) {
  const MergeTree::LeafRange leaves = trace.tree().leaf_range(node);
  return streams_name(trace.plan(), leaves.begin, leaves.end);
}

std::string token_text(const std::string& token, Language language) {
  std::string seen;
  for (const char c : token) {
    if (c == '\n') seen += "↵";
    else seen += c;
  }
  const bool starts_a_word = seen.size() > 1 && seen[0] == ' ';
  if (starts_a_word) seen.erase(0, 1);
  if (seen == " ") seen = "␣";
  if (language == Language::zh) return fmt::format("“{}”", seen);
  const char quote = seen.find('"') == std::string::npos ? '"' : '\'';
  return fmt::format("{0}{1}{0}", quote, seen);
}

}  // namespace fdlab

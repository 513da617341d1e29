// Lesson text: Markdown as md4c reads it, kept as blocks of runs. The terminal, the window, the checker and the formula
// renderer all read this one parse, so they agree on where a formula starts and what is a bound number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fdlab {

struct ProseRun {
  enum class Kind : std::uint8_t {
    text,     ///< words
    formula,  ///< TeX between single dollars
    number,   ///< a binding, without its braces: tile[8].m:3
    code,     ///< between backticks
  };
  Kind kind = Kind::text;
  std::string text;
  bool bold = false;
};

struct ProseBlock {
  enum class Kind : std::uint8_t {
    paragraph,
    list_item,
    formula,  ///< one run: TeX between double dollars, standing alone
    code,     ///< one run
  };
  Kind kind = Kind::paragraph;
  std::int64_t ordinal = 0;  ///< list_item: its number in an ordered list, 0 in a bulleted one
  std::vector<ProseRun> runs;
};

struct Prose {
  std::vector<ProseBlock> blocks;
  std::vector<std::string>
      faults;  ///< what the format does not have: headings, tables, quotes, HTML, unclosed braces
};

Prose parse_prose(std::string_view markdown);

}  // namespace fdlab

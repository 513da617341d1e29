// What `fdlab compare` found, and how it says so: lines for people, or JSON (core/io/FORMATS.md) for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/side.h"
#include "core/compare/tolerance.h"

namespace fdlab::cli {

/// One tensor held against what it should be.
struct ComparedPart {
  std::string what;             ///< "o" or "lse"
  std::string found, expected;  ///< file names; expected may be "oracle"
  std::vector<std::int64_t> shape;
  DType type = DType::f32;
  std::optional<Tolerance> tolerance;  ///< none: judged by the oracle's rule
  Verdict verdict;
  std::vector<std::string> readings;  ///< undeclared conventions under which a failed part agrees

  bool agrees() const { return verdict.outcome == Outcome::passed; }
};

struct CompareReport {
  bool by_oracle = false;  ///< else by tolerance
  Tolerance tolerance;
  std::vector<ComparedPart> parts;
  std::vector<std::string> notes;

  /// Something was compared, and nothing differs.
  bool equal() const;
};

std::string compare_text(const CompareReport& report);
std::string compare_json(const CompareReport& report);

}  // namespace fdlab::cli

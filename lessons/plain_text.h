// Lesson text with its numbers filled in and its formulas in one line: what a terminal prints and what the checker
// reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"
#include "lessons/expression.h"
#include "lessons/language.h"
#include "lessons/prose.h"

namespace fdlab {

struct PlainBlock {
  ProseBlock::Kind kind = ProseBlock::Kind::paragraph;
  std::int64_t ordinal = 0;
  std::string text;
};

/// The fault of the first binding that cannot be evaluated.
Result<std::vector<PlainBlock>> plain_text(std::string_view markdown, const ExpressionScope& scope,
                                           Language language);

}  // namespace fdlab

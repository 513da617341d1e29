// Every step in words: what happened, why, and the number that matters. Shown above the transport, printed by
// `fdlab lesson tell`, and read aloud by whatever reads text.
#pragma once

#include <string>

#include "lessons/expression.h"
#include "lessons/language.h"

namespace fdlab {

/// One or two sentences on scope.step.
std::string transcript(const ExpressionScope& scope, Language language);

}  // namespace fdlab

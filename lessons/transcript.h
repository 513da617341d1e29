// Every step in words: what happened, why, and the number that matters. Shown above the transport, printed by
// `fdlab lesson tell`, and read aloud by whatever reads text.
#pragma once

#include <string>

#include "lessons/expression.h"
#include "lessons/language.h"

namespace fdlab {

/// One or two sentences on scope.step.
std::string transcript(const ExpressionScope& scope, Language language);

/// A token as people can see it: “ily”, with ↵ for a line end and ␣ for a lone blank, in the language's quotes.
std::string token_text(const std::string& token, Language language);

}  // namespace fdlab

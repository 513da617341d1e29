// Every word of the window itself, in both languages, in one table (strings.cpp). Lesson text is not here: it
// is data.
#pragma once

#include <cstdint>
#include <string>

#include "lessons/language.h"

namespace fdlab {

/// One row per phrase; a new phrase is a new name here and a row in strings.cpp. {} are filled by fmt, in
/// order.
enum class Phrase : std::uint16_t {
#define FD_PHRASE(name, en, zh) name,
#include "viz/strings.inc"
#undef FD_PHRASE
};

const char* phrase(Language language, Phrase which);

/// What `Ui::tr` is: phrases of the present language, `tr(Phrase::stop_of)`.
struct Strings {
  Language language = Language::en;
  const char* operator()(Phrase which) const { return phrase(language, which); }
};

/// All characters used by the table, for the fonts' coverage test and the atlas.
std::string all_phrases();

}  // namespace fdlab

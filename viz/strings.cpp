#include "viz/strings.h"

#include <array>

namespace fdlab {
namespace {

struct Row {
  const char* text[2];  // by Language
};
constexpr std::array kRows{
#define FD_PHRASE(name, en, zh) Row{{en, zh}},
#include "viz/strings.inc"
#undef FD_PHRASE
};

}  // namespace

const char* phrase(Language language, Phrase which) {
  return kRows[static_cast<std::size_t>(which)].text[static_cast<std::size_t>(language)];
}

std::string all_phrases() {
  std::string all;
  for (const Row& row : kRows) all.append(row.text[0]).append(row.text[1]);
  return all;
}

}  // namespace fdlab

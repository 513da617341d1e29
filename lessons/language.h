// The two languages of everything a person reads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fdlab {

enum class Language : std::uint8_t { en, zh };

inline constexpr std::array kLanguages{Language::en, Language::zh};

constexpr const char* name_of(Language language) { return language == Language::en ? "en" : "zh"; }

constexpr std::optional<Language> language_from_name(std::string_view name) {
  for (const Language language : kLanguages)
    if (name == name_of(language)) return language;
  return std::nullopt;
}

/// The same text in both.
struct Bilingual {
  std::string en, zh;
  const std::string& operator[](Language language) const { return language == Language::en ? en : zh; }
  std::string& operator[](Language language) { return language == Language::en ? en : zh; }
};

}  // namespace fdlab

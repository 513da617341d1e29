// Numbers as the house writes them: minus U+2212, thousands commas, −∞ and NaN by name, "56 %" in English and
// "56%" in Chinese.
#pragma once

#include <cstdint>
#include <string>

#include "lessons/language.h"

namespace fdlab {

std::string count_text(std::int64_t count);                ///< 17,048
std::string fixed_text(double number, int decimals);       ///< −1,234.500; never "−0.000"
std::string short_text(double number);                     ///< as few digits as say it: 0.5, −10, 20
std::string scientific_text(double number, int decimals);  ///< 1.5e−6
std::string percent_text(double share, int decimals, Language language);  ///< share 0.56: "56 %", "56%"

/// How a number is printed: the part after the colon in {tile[8].m:3}.
struct NumberFormat {
  enum class Style : std::uint8_t {
    automatic,   ///< counts as they are, other numbers with three decimals
    fixed,       ///< :4
    percent,     ///< :%  :1%
    scientific,  ///< :e  :2e
  };
  Style style = Style::automatic;
  int decimals = 0;
};

std::string number_text(double number, bool is_count, NumberFormat format, Language language);

}  // namespace fdlab

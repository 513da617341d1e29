#include "lessons/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace fdlab {
namespace {

constexpr const char* kMinus = "−";  // U+2212

std::string with_commas(std::string digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t at = whole; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

bool all_zero(const std::string& digits) { return digits.find_first_of("123456789") == std::string::npos; }

std::string with_sign(bool is_negative, const std::string& magnitude) {
  return fmt::format("{}{}", is_negative ? kMinus : "", magnitude);
}

std::string not_finite_text(double number) { return std::isnan(number) ? "NaN" : with_sign(number < 0, "∞"); }

}  // namespace

std::string count_text(std::int64_t count) {
  const std::string digits = std::to_string(count);
  return with_sign(count < 0, with_commas(count < 0 ? digits.substr(1) : digits));
}

std::string fixed_text(double number, int decimals) {
  if (!std::isfinite(number)) return not_finite_text(number);
  const std::string digits = fmt::format("{:.{}f}", std::fabs(number), decimals);
  return with_sign(number < 0 && !all_zero(digits), with_commas(digits));
}

std::string short_text(double number) {
  if (!std::isfinite(number)) return not_finite_text(number);
  return with_sign(number < 0, fmt::format("{:g}", std::fabs(number)));
}

std::string scientific_text(double number, int decimals) {
  if (!std::isfinite(number)) return not_finite_text(number);
  if (number == 0) return "0";
  const std::string text = fmt::format("{:.{}e}", std::fabs(number), decimals);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  return with_sign(number < 0,
                   text.substr(0, e + 1) + with_sign(exponent < 0, std::to_string(std::abs(exponent))));
}

std::string percent_text(double share, int decimals, Language language) {
  return fixed_text(share * 100, decimals) + (language == Language::en ? " %" : "%");
}

std::string number_text(double number, bool is_count, NumberFormat format, Language language) {
  switch (format.style) {
    case NumberFormat::Style::fixed: return fixed_text(number, format.decimals);
    case NumberFormat::Style::percent: return percent_text(number, format.decimals, language);
    case NumberFormat::Style::scientific: return scientific_text(number, format.decimals);
    case NumberFormat::Style::automatic: break;
  }
  return fixed_text(number, is_count ? 0 : 3);
}

}  // namespace fdlab

// {expression:format}
#include <fmt/format.h>

#include "lessons/expression.h"

namespace fdlab {
namespace {

constexpr std::size_t kMaxDecimals = 9;

/// "4", "%", "1%", "e", "2e"; a lone style has its usual number of decimals.
Result<NumberFormat> format_from_text(std::string_view text, std::string_view binding) {
  NumberFormat format{NumberFormat::Style::fixed, 0};
  std::string_view rest = text;
  const bool has_digit = !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
  if (has_digit) {
    format.decimals = rest[0] - '0';
    rest.remove_prefix(1);
  }
  if (rest == "%") {
    format.style = NumberFormat::Style::percent;
  } else if (rest == "e") {
    format.style = NumberFormat::Style::scientific;
    if (!has_digit) format.decimals = 1;
  } else if (!rest.empty() || !has_digit) {
    return Fault{
        fmt::format("binding \"{}\": expected after the colon decimals (0 to {}), % or e, found \"{}\"",
                    binding, kMaxDecimals, text)};
  }
  return format;
}

}  // namespace

Result<Binding> Binding::parse(std::string_view source) {
  const std::size_t colon = source.find(':');
  Result<Expression> expression = Expression::parse(source.substr(0, colon));
  if (!expression) return expression.fault();
  if (colon == std::string_view::npos) return Binding(std::move(*expression), NumberFormat{});
  const Result<NumberFormat> format = format_from_text(source.substr(colon + 1), source);
  if (!format) return format.fault();
  return Binding(std::move(*expression), *format);
}

Result<Binding::Bound> Binding::evaluate(const ExpressionScope& scope, Language language) const {
  Result<ExpressionValue> value = expression_.evaluate(scope);
  if (!value) return value.fault();
  if (value->number)
    return Bound{number_text(*value->number, value->is_count, format_, language), std::move(*value)};
  if (!value->word[language].empty()) return Bound{value->word[language], std::move(*value)};
  return Fault{
      fmt::format("expression \"{}\": expected a number or a word to print, found a whole thing or a vector",
                  expression_.source())};
}

}  // namespace fdlab

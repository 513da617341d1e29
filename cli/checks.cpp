#include "cli/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/io/printable.h"

namespace fdlab::cli {
namespace {

/// A validator that accepts a text or says what was expected instead.
template <class Accepts>
CLI::Validator expecting(std::string expected, Accepts accepts) {
  return CLI::Validator(
      [expected = std::move(expected), accepts](const std::string& text) -> std::string {
        return accepts(text) ? "" : fmt::format("expected {}, found '{}'", expected, printable(text, 80));
      },
      "");
}

template <class Number>
bool parse_whole(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  std::string expected = fmt::format("{}", fmt::join(names.begin(), names.end() - 1, ", "));
  expected += (names.size() > 1 ? " or " : "") + names.back();
  return expecting(std::move(expected), [names](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  });
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return expecting(fmt::format("a whole number from {} to {}", least, most), [=](const std::string& text) {
    std::int64_t number = 0;
    return parse_whole(text, number) && number >= least && number <= most;
  });
}

CLI::Validator finite_number() {
  return expecting("a finite number", [](const std::string& text) {
    double number = 0;
    return parse_whole(text, number) && std::isfinite(number);
  });
}

CLI::Validator non_negative_number() {
  return expecting("a finite number of at least 0", [](const std::string& text) {
    double number = 0;
    return parse_whole(text, number) && std::isfinite(number) && number >= 0;
  });
}

CLI::Validator positive_number() {
  return expecting("a finite number above 0", [](const std::string& text) {
    double number = 0;
    return parse_whole(text, number) && std::isfinite(number) && number > 0;
  });
}

}  // namespace fdlab::cli

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

bool is_whole_number(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  return parse_whole(text, number) && number >= least && number <= most;
}

/// "a, b or c"
std::string choice(const std::vector<std::string>& names) {
  return fmt::format("{}{}{}", fmt::join(names.begin(), names.end() - 1, ", "),
                     names.size() > 1 ? " or " : "", names.back());
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  return expecting(choice(names), [names](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  });
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return expecting(fmt::format("a whole number from {} to {}", least, most),
                   [=](const std::string& text) { return is_whole_number(text, least, most); });
}

CLI::Validator whole_number_or_auto(std::int64_t least, std::int64_t most) {
  return expecting(
      fmt::format("a whole number from {} to {} or auto", least, most),
      [=](const std::string& text) { return text == "auto" || is_whole_number(text, least, most); });
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

CLI::Validator finite_number_or_file() {
  return expecting("a finite number or the name of a file", [](const std::string& text) {
    double number = 0;
    return !text.empty() && (!parse_whole(text, number) || std::isfinite(number));
  });
}

CLI::Validator kernel_name() {
  return expecting("the name of a kernel", [](const std::string& text) { return !text.empty(); });
}

CLI::Validator file_name() {
  return expecting("the name of a file", [](const std::string& text) { return !text.empty(); });
}

void need_subcommand(CLI::App& command) {
  command.require_subcommand(0, 1)->allow_extras();
  command.parse_complete_callback([&command] {
    const std::vector<std::string> rest = command.remaining();
    if (!command.get_help_ptr()->empty() || (!command.get_subcommands().empty() && rest.empty())) return;
    std::vector<std::string> names;
    for (const CLI::App* one : command.get_subcommands({})) names.push_back(one->get_name());
    throw CLI::ParseError(fmt::format("{}: expected {}, found {}", command.get_name(), choice(names),
                                      rest.empty() ? "none" : "'" + printable(rest.front(), 80) + "'"),
                          CLI::ExitCodes::RequiredError);
  });
}

}  // namespace fdlab::cli

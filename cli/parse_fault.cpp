#include "cli/parse_fault.h"

#include <fmt/format.h>

#include <string_view>

namespace fdlab::cli {
namespace {

/// The two sides of `mark` in the parser's text; the second is empty where it does not stand there.
struct Parts {
  std::string before, after;
};
Parts split(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + mark.size()))};
}

/// "--tile: At Most 1 required but received 2", "--tile: 1 required KEYS missing", "json was given a disallowed …"
std::string mismatch(std::string_view text) {
  const Parts flag = split(text, " was given a disallowed");
  if (!flag.after.empty()) return "--" + flag.before + ": expected no value, found one";
  const std::string name = split(text, ": ").before;
  const Parts many = split(text, "but received ");
  if (!many.after.empty()) return fmt::format("{}: expected one value, found {}", name, many.after);
  return name + ": expected a value, found none";
}

/// "The following arguments were not expected: second first": the parser names them from the last to the first.
std::string first_extra(const std::string& text) { return text.substr(text.find_last_of(' ') + 1); }

}  // namespace

std::string sentence_of(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    return fmt::format("expected {}, found none", split(text, " is required").before);
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    return fmt::format("expected only what --help lists, found '{}'", first_extra(text));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return mismatch(text);
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    const Parts names = split(text, " excludes ");
    return fmt::format("expected {} or {}, found both", names.before, names.after);
  }
  return text;
}

}  // namespace fdlab::cli

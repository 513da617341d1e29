#include "core/io/toml.h"

#include <fmt/format.h>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "core/io/printable.h"

namespace fdlab {

using nlohmann::json;

namespace {

json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    json object = json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = to_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    json list = json::array();
    for (const toml::node& value : *array) list.push_back(to_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  return nullptr;
}

}  // namespace

Result<json> parse_toml(std::string_view text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return Fault{fmt::format("{}: expected TOML, found a fault in line {}: {}", name,
                             parsed.error().source().begin.line, printable(parsed.error().description()))};
  return to_json(parsed.table());
}

}  // namespace fdlab

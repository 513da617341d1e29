#include "core/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/printable.h"

namespace fdlab {

using nlohmann::json;

std::string quoted(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return printable(text, 40);
}

Result<json> parse_json_object(std::string_view text, const std::string& name, int most_depth) {
  std::vector<std::set<std::string>> open_objects;
  std::string twice;
  int deepest = 0;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    deepest = std::max(deepest, depth);
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  try {
    json object = json::parse(text, watch);
    if (!object.is_object())
      return Fault{fmt::format("{}: expected a JSON object, found {}", name, quoted(object))};
    if (deepest > most_depth)
      return Fault{fmt::format("{}: expected at most {} lists and objects in each other, found {}", name,
                               most_depth, deepest)};
    if (!twice.empty())
      return Fault{
          fmt::format("{}: expected every field once, found '{}' twice", name, printable(twice, 40))};
    return object;
  } catch (const json::parse_error& error) {
    return Fault{fmt::format("{}: expected JSON, found something else at byte {}", name, error.byte)};
  } catch (const json::exception&) {
    return Fault{fmt::format("{}: expected JSON, found a number that no double holds", name)};
  }
}

StrictObject::StrictObject(const json& object, std::string where, std::optional<Fault>& fault)
    : object_(object), where_(std::move(where)), fault_(fault) {}

void StrictObject::refuse(const std::string& sentence) {
  if (!fault_) fault_ = Fault{where_ + ": " + sentence};
}

const json& StrictObject::at(const char* field) {
  static const json kMissing;
  asked_.insert(field);
  if (object_.contains(field)) return object_[field];
  refuse(fmt::format("expected the field '{}', found none", field));
  return kMissing;
}

std::int64_t StrictObject::integer_from(const json& value, const std::string& field, std::int64_t least,
                                        std::int64_t most) {
  const bool held = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  if (held && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most)
    return value.get<std::int64_t>();
  refuse(fmt::format("expected '{}' to be an integer from {} to {}, found {}", field, least, most,
                     quoted(value)));
  return least;
}

std::int64_t StrictObject::integer(const char* field, std::int64_t least, std::int64_t most) {
  return integer_from(at(field), field, least, most);
}

double StrictObject::number(const char* field) {
  const json& value = at(field);
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (std::isfinite(number)) return number;
  refuse(fmt::format("expected '{}' to be a number, found {}", field, quoted(value)));
  return 0;
}

double StrictObject::positive_number(const char* field) {
  const json& value = at(field);
  const double number = value.is_number() ? value.get<double>() : 0.0;
  if (number > 0 && std::isfinite(number)) return number;
  refuse(fmt::format("expected '{}' to be a number above 0, found {}", field, quoted(value)));
  return 1;
}

std::string StrictObject::text(const char* field) {
  const json& value = at(field);
  if (value.is_string() && !value.get<std::string>().empty()) return value.get<std::string>();
  refuse(fmt::format("expected '{}' to be a text, found {}", field, quoted(value)));
  return {};
}

std::vector<std::int64_t> StrictObject::integers(const char* field, std::int64_t least, std::int64_t most) {
  const json& value = at(field);
  std::vector<std::int64_t> numbers;
  if (!value.is_array()) refuse(fmt::format("expected '{}' to be a list, found {}", field, quoted(value)));
  if (value.is_array())
    for (const json& item : value) numbers.push_back(integer_from(item, field, least, most));
  return numbers;
}

StrictObject StrictObject::object(const char* field) {
  const json& value = at(field);
  if (!value.is_object())
    refuse(fmt::format("expected '{}' to be an object, found {}", field, quoted(value)));
  return {value.is_object() ? value : json::object(), where_ + ": " + field, fault_};
}

void StrictObject::finish() {
  for (const auto& [field, value] : object_.items())
    if (!asked_.count(field)) refuse(fmt::format("expected no field '{}', found it", printable(field, 40)));
}

}  // namespace fdlab

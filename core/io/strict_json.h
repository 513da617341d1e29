// Reading JSON strictly: every field named, typed and within its range, none twice, none left over. The first
// thing that is wrong is kept as one sentence; reading goes on with zeros, so that a reader is a plain list
// of fields.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

/// Parses one JSON object; refuses anything else, any object in it that has a field twice, and lists and objects nested
/// deeper than `most_depth`: what is copied or printed is so by recursion.
Result<nlohmann::json> parse_json_object(std::string_view text, const std::string& name, int most_depth = 64);

/// A value as a sentence quotes it: short.
std::string quoted(const nlohmann::json& value);

/// One object being read. `where` names it in sentences ("run.json: clock"); all share one `fault`.
class StrictObject {
 public:
  StrictObject(const nlohmann::json& object, std::string where, std::optional<Fault>& fault);

  bool has(const char* field) const { return object_.contains(field); }
  std::int64_t integer(const char* field, std::int64_t least, std::int64_t most);
  double number(const char* field);
  double positive_number(const char* field);
  std::string text(const char* field);  ///< not empty
  std::vector<std::int64_t> integers(const char* field, std::int64_t least, std::int64_t most);
  StrictObject object(const char* field);
  void refuse(const std::string& sentence);  ///< unless something was wrong before
  void finish();                             ///< refuses a field that nobody asked for

 private:
  const nlohmann::json& at(const char* field);
  std::int64_t integer_from(const nlohmann::json& value, const std::string& field, std::int64_t least,
                            std::int64_t most);

  nlohmann::json object_;
  std::string where_;
  std::set<std::string> asked_;
  std::optional<Fault>& fault_;
};

}  // namespace fdlab

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "viz/commands.h"

using namespace fdlab;

TEST_CASE("the list of commands is in the order of their ids, each named and labelled once") {
  std::set<std::string> names;
  std::set<std::tuple<int, bool, bool>> keys;
  std::size_t at = 0;
  for (const CommandInfo& info : all_commands()) {
    CAPTURE(info.name);
    CHECK(static_cast<std::size_t>(info.id) == at++);
    CHECK(names.insert(info.name).second);
    CHECK(std::string(phrase(Language::en, info.label)) != "");
    CHECK(std::string(phrase(Language::zh, info.label)) != "");
    CHECK((info.key.key == 0) == (std::string(info.key_name) == ""));
    if (info.key.key == 0) continue;
    CHECK(keys.insert({info.key.key, info.key.shift, info.key.ctrl}).second);
    CHECK(command_of(info.key) == Command{info.id});
    CHECK(std::string(info_of(info.id).name) == info.name);
  }
}

TEST_CASE("commands are read from a line") {
  CHECK(parse_command("step.next") == Command{CommandId::step_next});
  CHECK(parse_command("go.step 362") == Command{CommandId::go_step, 362});
  CHECK(parse_command("set.scale 175") == Command{CommandId::set_scale, 175});
  CHECK(parse_command("gate.check 0.5") == Command{CommandId::gate_check, 0, "0.5"});
  for (const char* bad : {"", "step", "step.next 3", "go.step", "go.step x", "go.step 3 4", "go.step 3.5",
                          "go.step 99999999999999999999", "gate.check", " step.next", "STEP.NEXT"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_command(bad).has_value());
  }
  CHECK_FALSE(command_of({}).has_value());
}

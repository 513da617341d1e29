#include "lessons/gate.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/first_lesson.h"

using namespace fdlab;

TEST_CASE("each known rule is recognised, and a right answer never taken for one") {
  std::size_t rules = 0;
  for (const Stop& stop : first_lesson().stops) {
    if (!stop.gate) continue;
    CAPTURE(stop.id);
    const Gate& gate = *stop.gate;
    const auto answers = answers_of(gate, first_scene().scope(0), Language::en);
    REQUIRE(bool(answers));
    const double right = *answers->right.value.number;
    for (const double off : {0.0, 0.9 * gate.tolerance, -0.9 * gate.tolerance}) {
      const GateVerdict verdict = judge(gate, *answers, right + off);
      CHECK(verdict.kind == GateVerdict::Kind::right);
      CHECK(reply_to(gate, verdict, Language::en) == gate.right.en);
    }
    for (std::size_t i = 0; i < gate.rules.size(); ++i, ++rules) {
      CAPTURE(gate.rules[i].id);
      const GateVerdict verdict = judge(gate, *answers, *answers->rules[i].value.number + gate.tolerance / 3);
      CHECK(verdict.kind == GateVerdict::Kind::known_rule);
      CHECK(verdict.rule == i);
      CHECK(reply_to(gate, verdict, Language::zh) == gate.rules[i].reply.zh);
    }
    const GateVerdict far = judge(gate, *answers, gate.high + 1000);
    CHECK(far.kind == GateVerdict::Kind::other);
    CHECK(reply_to(gate, far, Language::zh) == gate.other.zh);
    CHECK(judge(gate, *answers, NAN).kind == GateVerdict::Kind::other);
  }
  CHECK(rules == 9);
}

TEST_CASE("the classical mistakes of the pair of tiles 8 and 9") {
  const Stop& share = first_lesson().stops[4];
  const auto answers = answers_of(*share.gate, first_scene().scope(0), Language::en);
  REQUIRE(bool(answers));
  CHECK(answers->right.text == "0.5601");
  CHECK(answers->rules[0].text == "0.50");
  CHECK(judge(*share.gate, *answers, 0.5).rule == 0);
  CHECK(judge(*share.gate, *answers, 0.63).rule == 1);
  CHECK(judge(*share.gate, *answers, 0.43).rule == 2);
}

#include "lessons/expression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/first_lesson.h"
#include "tests/random_problem.h"

using namespace fdlab;

namespace {

ExpressionValue value_of(std::string_view source, std::int64_t step = 368, std::int64_t head = 6) {
  const Result<Expression> expression = Expression::parse(source);
  REQUIRE(bool(expression));
  const Result<ExpressionValue> value = expression->evaluate(first_scene(head).scope(step));
  INFO(source);
  REQUIRE(bool(value));
  return *value;
}
double number_of(std::string_view source, std::int64_t step = 368) {
  return value_of(source, step).number.value();
}

/// The sentence that parsing or evaluation ends with.
std::string fault_of(std::string_view source, std::int64_t step = 362) {
  const Result<Expression> expression = Expression::parse(source);
  if (!expression) return expression.fault().sentence;
  const Result<ExpressionValue> value = expression->evaluate(first_scene().scope(step));
  return value ? "" : value.fault().sentence;
}

std::string text_of(std::string_view source, Language language = Language::en, std::int64_t step = 362) {
  const Result<Binding> binding = Binding::parse(source);
  if (!binding) return binding.fault().sentence;
  const auto bound = binding->evaluate(first_scene().scope(step), language);
  return bound ? bound->text : bound.fault().sentence;
}

}  // namespace

TEST_CASE("arithmetic follows the usual order") {
  CHECK(number_of("1 + 2 * 3") == 7);
  CHECK(number_of("(1 + 2) × 3") == 9);
  CHECK(number_of("8 ÷ 4 / 2") == 1);
  CHECK(number_of("10 − 4 - 3") == 3);
  CHECK(number_of("-2 + −3") == -5);
  CHECK(number_of("- - 2") == 2);
  CHECK(number_of("0.25 * 4") == 1);
  CHECK(number_of("exp(ln(2.5))") == doctest::Approx(2.5));
  CHECK(number_of("max(2, 3) - min(2, 3)") == 1);
  CHECK(number_of("sqrt(abs(0 - 16))") == 4);
}

TEST_CASE("a value says what it is, where it stands and from when on it is known") {
  const ExpressionValue m = value_of("tile[8].m");
  CHECK(m.quantity == Quantity::m);
  CHECK(std::string(m.unit) == "ln");
  CHECK(m.referent == Referent{Referent::Kind::tile, 8, -1});
  CHECK(m.known_at == 297);

  CHECK(value_of("tile[8].o[3]").referent == Referent{Referent::Kind::tile, 8, 3});
  CHECK(value_of("tile[8].o[3]").quantity == Quantity::o);
  CHECK(value_of("key[260].score").referent == Referent{Referent::Kind::key, 260, -1});
  CHECK(value_of("merge[4].S").referent == Referent{Referent::Kind::node, 15, -1});
  CHECK(value_of("merge[4].S").known_at == 362);
  CHECK(value_of("merge[4].a.l").known_at == 297);
  CHECK(value_of("merge[4].a.weight").known_at == 362);
  CHECK(value_of("merge[7].a.S").referent == Referent{Referent::Kind::node, 15, -1});
  CHECK(value_of("merge[7].b").referent == Referent{Referent::Kind::tile, 10, -1});
  CHECK(value_of("result.S").known_at == 367);
  CHECK(value_of("check.max_error").known_at == 368);
  CHECK(value_of("tile[8].m + tile[9].m").known_at == 330);
  CHECK(value_of("tile[8].m + tile[9].m").quantity == Quantity::none);
  CHECK(value_of("tile[now.tile].m", 297).known_at == 297);
  CHECK(value_of("key[row.heaviest_key].weight").known_at == 0);
  CHECK(value_of("num_tiles").is_count);
  CHECK(value_of("num_tiles − 1").is_count);
  CHECK_FALSE(value_of("num_tiles / 2").is_count);
}

TEST_CASE("things, vectors and words have no number") {
  for (const char* source :
       {"tile[8]", "merge[4]", "merge[4].a", "now", "tile[8].o", "key[3]", "result", "reference"}) {
    CHECK_FALSE(value_of(source).number.has_value());
    CHECK(value_of(source).referent.kind != Referent::Kind::none);
    CHECK_FALSE(fault_of(std::string(source) + " + 1").empty());
    CHECK_FALSE(text_of(source).empty());
  }
  CHECK(text_of("tile[8]").find("expected a number or a word") != std::string::npos);
  CHECK(text_of("key[260].token") == "\"ily\"");
  CHECK(text_of("key[260].token", Language::zh) == "“ily”");
  CHECK(text_of("now.a.name") == "tile 8");
  CHECK(text_of("merge[7].a.name") == "tiles 8–9");
  CHECK(text_of("merge[7].a.name", Language::zh) == "tile 8–9");
}

TEST_CASE("places are steps") {
  CHECK(number_of("start") == 0);
  CHECK(number_of("at_key(0)") == 1);
  CHECK(number_of("end_of_tile(8)") == 297);
  CHECK(number_of("end_of_scan") == 357);
  CHECK(number_of("at_merge(4)") == 362);
  CHECK(number_of("end") == 368);
  const auto step = [](const char* source) {
    return step_of(*Expression::parse(source), first_scene().scope(0));
  };
  CHECK(*step("at_merge(4) - 1") == 361);
  CHECK_FALSE(step("start - 1"));
  CHECK_FALSE(step("end + 1"));
  CHECK_FALSE(step("0.5"));
  CHECK_FALSE(step("tile[8]"));
  CHECK_FALSE(step("1 / 0"));
}

TEST_CASE("a format suffix decides how a value is printed") {
  CHECK(text_of("merge[4].a.weight:4") == "0.5601");
  CHECK(text_of("merge[4].a.weight:%") == "56 %");
  CHECK(text_of("merge[4].a.weight:1%", Language::zh) == "56.0%");
  CHECK(text_of("merge[4].a.weight:2e") == "5.60e−1");
  CHECK(text_of("merge[4].a.weight") == "0.560");
  CHECK(text_of("tile[8].m:0") == "10");
  CHECK(text_of("num_steps") == "368");
  for (const char* source : {"1:", "1:x", "1:12", "1:4f", "1:%%", "1:4:4", "1:−1"})
    CHECK(text_of(source).find("expected after the colon") != std::string::npos);
}

TEST_CASE("an empty side is −∞ and 0") {
  const ScoreProblem masked({-INFINITY, -INFINITY, 1, 2}, {1, 2, 3, 4});
  DecodePlan plan{4, 2, 2, Deal::round_robin, MergeOrder::tree};
  const Trace trace = record(masked.problem, plan, Method::mlo, {});
  const ExpressionScope scope{trace, trace.steps().of_merge(0), {}, 0, 8};
  const auto text = [&](const char* source) {
    return Binding::parse(source)->evaluate(scope, Language::en)->text;
  };
  CHECK(text("tile[0].m") == "−∞");
  CHECK(text("tile[0].S") == "−∞");
  CHECK(text("tile[0].l") == "0.000");
  CHECK(text("now.a.weight") == "0.000");
  CHECK(text("now.high.name") == "tile 1");
  CHECK(text("now.low.factor") == "0.000");
}

TEST_CASE("the LSE form keeps no m and l") {
  const ScoreProblem problem({1, 2, 3, 4}, {1, 2, 3, 4});
  DecodePlan plan{4, 2, 2, Deal::round_robin, MergeOrder::two_step};
  const Trace trace = record(problem.problem, plan, Method::lse, {});
  const ExpressionScope scope{trace, trace.steps().num_steps(), {}, 0, 8};
  CHECK(Expression::parse("tile[1].S")->evaluate(scope)->number.value() == doctest::Approx(4.3132616875));
  CHECK(Expression::parse("tile[1].l")->evaluate(scope).fault().sentence.find("keeps no m and l") !=
        std::string::npos);
  CHECK(Expression::parse("merge[0].S")->evaluate(scope).fault().sentence.find("no merge at all") !=
        std::string::npos);
  CHECK(Expression::parse("key[0].token")->evaluate(scope).fault().sentence.find("tokens") !=
        std::string::npos);
  CHECK(Expression::parse("reference.S")->evaluate(scope).fault().sentence.find("reference") !=
        std::string::npos);
}

TEST_CASE("what cannot be read or does not exist is one sentence with its place") {
  struct Row {
    const char *source, *says;
  };
  for (const Row& row : {
           Row{"", "character 1: expected a number, a name or \"(\", found the end"},
           Row{"1 +", "character 4: expected a number"},
           Row{"(1", "character 3: expected \")\", found the end"},
           Row{"1 2", "character 3: expected the end or an operator, found \"2\""},
           Row{"tile[8", "character 7: expected \"]\""},
           Row{"tile[8].", "character 9: expected a name"},
           Row{"é", "found \"é\""},
           Row{"1e5", "found \"e\""},
           Row{"tile[8].q", "character 9: expected of a partial result one of m, l, S, o"},
           Row{"tile", "expected an index, as in tile[0]"},
           Row{"tile[11].m", "expected tile[0] to tile[10], found tile[11]"},
           Row{"tile[-1].m", "found tile[-1]"},
           Row{"tile[0.5].m", "expected a whole number as index"},
           Row{"tile[1/0].m", "expected a whole number as index"},
           Row{"tile[8].m[0]", "expected \"m\" without an index"},
           Row{"tile[8].o[8]", "expected o[0] to o[7]"},
           Row{"tile[8].m.m", "character 11: expected nothing after \"m\", found \".m\""},
           Row{"merge[10].m", "expected merge[0] to merge[9]"},
           Row{"now[0].m", "without an index"},
           Row{"now.key", "expected a step in which a key is read"},
           Row{"num_tiles.m", "expected nothing after"},
           Row{"nothing", "expected a name (key, tile"},
           Row{"exp(1, 2)", "expected exp() with 1 argument, found 2"},
           Row{"max(1)", "expected max() with 2 arguments, found 1"},
           Row{"sin(1)", "found \"sin\""},
           Row{"exp(tile[8])", "expected a number"},
           Row{"at_merge(10)", "expected at_merge() of something in this run, found 10"},
           Row{"at_key(0.5)", "found 0.5"},
       }) {
    CAPTURE(row.source);
    CHECK(fault_of(row.source).find(row.says) != std::string::npos);
  }
  CHECK(fault_of(std::string(100, '(')).find("fewer levels") != std::string::npos);
  CHECK(fault_of(std::string(100, '-') + "1").find("fewer levels") != std::string::npos);
}

TEST_CASE("no input crashes the grammar") {
  const std::vector<std::string> seeds{"tile[8].m:3", "merge[4].a.weight", "exp(now.a.m − now.m) × now.a.l",
                                       "key[row.heaviest_key].token", "max(result.S, reference.o[0]) ÷ 2"};
  const std::string alphabet = "tilemrgnowkyS.[](),+-*/:%0123456789e_ \xe2\x88\x92";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int evaluated = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string source = seeds[below(seeds.size())];
    for (std::size_t edits = below(4); edits-- > 0 && !source.empty();) {
      const std::size_t at = below(source.size());
      switch (below(3)) {
        case 0: source.erase(at, 1 + below(3)); break;
        case 1: source.insert(at, 1, alphabet[below(alphabet.size())]); break;
        default: source[at] = static_cast<char>(below(256)); break;
      }
    }
    const Result<Binding> binding = Binding::parse(source);
    if (!binding) continue;
    const auto bound =
        binding->evaluate(first_scene().scope(static_cast<std::int64_t>(below(369))), Language::zh);
    if (bound) ++evaluated;
  }
  CHECK(evaluated > 1000);
}

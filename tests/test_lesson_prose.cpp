#include "lessons/prose.h"

#include <doctest/doctest.h>

#include "lessons/formula.h"
#include "lessons/unicode.h"

using namespace fdlab;
using Kind = ProseRun::Kind;

namespace {

ProseRun only_run(std::string_view markdown) {
  const Prose prose = parse_prose(markdown);
  REQUIRE(prose.blocks.size() == 1);
  REQUIRE(prose.blocks[0].runs.size() == 1);
  return prose.blocks[0].runs[0];
}

}  // namespace

TEST_CASE("prose is cut into words, formulas, numbers and code") {
  const Prose prose =
      parse_prose("The sum $\\l{a}_*$ of **tile {now.a.name}** is `x_{0}` {tile[8].m * 2:3}.");
  REQUIRE(prose.faults.empty());
  REQUIRE(prose.blocks.size() == 1);
  const auto& runs = prose.blocks[0].runs;
  REQUIRE(runs.size() == 10);
  CHECK(runs[1].kind == Kind::formula);
  CHECK(runs[1].text == "\\l{a}_*");
  CHECK(runs[3].text == "tile ");
  CHECK(runs[3].bold);
  CHECK(runs[4].kind == Kind::number);
  CHECK(runs[4].text == "now.a.name");
  CHECK(runs[4].bold);
  CHECK(runs[6].kind == Kind::code);
  CHECK(runs[6].text == "x_{0}");
  CHECK_FALSE(runs[6].bold);
  CHECK(runs[8].text == "tile[8].m * 2:3");
  CHECK(runs[9].text == ".");
}

TEST_CASE("a display formula is a block of its own") {
  const Prose prose = parse_prose("before\n\n$$a\n= b$$\n\nafter");
  REQUIRE(prose.blocks.size() == 3);
  CHECK(prose.blocks[1].kind == ProseBlock::Kind::formula);
  CHECK(prose.blocks[1].runs[0].text == "a = b");
  CHECK(parse_prose("text $$a$$").faults.size() == 1);
}

TEST_CASE("lists keep their numbers") {
  const Prose prose = parse_prose("3. three\n4. four\n\n- dot");
  REQUIRE(prose.blocks.size() == 3);
  CHECK(prose.blocks[0].ordinal == 3);
  CHECK(prose.blocks[1].ordinal == 4);
  CHECK(prose.blocks[1].runs[0].text == "four");
  CHECK(prose.blocks[2].ordinal == 0);
  CHECK(prose.blocks[2].kind == ProseBlock::Kind::list_item);
}

TEST_CASE("line breaks of the source leave no blank in Chinese") {
  CHECK(only_run("one\ntwo").text == "one two");
  CHECK(only_run("合并\n算子").text == "合并算子");
  CHECK(only_run("算完，\ntile").text == "算完，tile");
  CHECK(only_run("一个\ntile").text == "一个 tile");
  const Prose prose = parse_prose("读完\n{num_tiles} 个");
  CHECK(prose.blocks[0].runs[0].text == "读完 ");
}

TEST_CASE("what the format does not have is named") {
  for (const char* markdown : {"> quoted", "| a | b |\n|---|---|\n| 1 | 2 |", "#### deep", "*soft*", "[a](b)",
                               "![a](b)", "---", "{open"})
    CHECK_FALSE(parse_prose(markdown).faults.empty());
}

TEST_CASE("formulas have a name, terms and a plain form") {
  CHECK(svg_name({"a", false}) != svg_name({"a", true}));
  CHECK(svg_name({"", false}) == "08b70c07b55c00fa.svg");
  CHECK(terms_in("\\m{a} + \\m{a}^\\S{} - \\cssId{x}{y} \\max \\m") ==
        std::vector<std::string>{"m-a", "S", "x"});
  CHECK(term_of_id("m-a--2") == "m-a");
  CHECK(term_of_id("S") == "S");
  CHECK(formula_text("\\S{} = \\m{} + \\ln \\l{}") == "S = m + ln l");
  CHECK(formula_text("e^{\\m{a} - \\m{}} \\l{a}") == "e^(m_a − m) l_a");
  CHECK(formula_text("-\\infty") == "−∞");
  CHECK(formula_text("\\frac{1}{\\sqrt{d}} q \\cdot k_j") == "1/(√d) q·k_j");
  CHECK(formula_text("\\begin{bmatrix} a \\\\ b \\end{bmatrix}") == "[a; b]");
  CHECK(formula_text("\\unknown{x}") == "\\unknownx");
  CHECK_FALSE(formula_text(std::string(5000, '{')).empty());
  CHECK_FALSE(formula_text(std::string(5000, '^')).empty());
}

TEST_CASE("text is measured in terminal columns") {
  CHECK(display_width("tile 8") == 6);
  CHECK(display_width("合并算子") == 8);
  CHECK(display_width("−∞ ⊕") == 4);
  CHECK(display_width("，") == 2);
  CHECK(code_points("\xff\xe4").size() == 2);
  CHECK(code_points("a−𝑥") == U"a−𝑥");
}

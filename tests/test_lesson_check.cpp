// The checker, by lessons broken in one place each.
#include "lessons/check.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/lesson_copy.h"

using namespace fdlab;

namespace {

const std::string kLessons = kLessonsFolder;

struct Row {
  std::string rule, file, old_text, new_text;
};

bool has_rule(const std::vector<Finding>& findings, const std::string& rule) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("lessons as they are give nothing to point at") {
  for (const std::filesystem::path& folder : find_lessons(kLessonsFolder))
    for (const Finding& finding : check_lesson(folder, kLessons))
      FAIL_CHECK(finding.rule, ": ", finding.sentence);
}

TEST_CASE("each rule of the checker fires") {
  const std::string many_words = [] {
    std::string words;
    for (int i = 0; i < 111; ++i) words += "word ";
    return words;
  }();
  for (const Row& row : {
           // structure
           Row{"load", "lesson.toml", "version = 1", "version = 9"},
           Row{"scene", "lesson.toml", "q_head = 6", "q_head = 60"},
           Row{"id", "lesson.toml", "id = \"mean\"", "id = \"sum\""},
           // numbers
           Row{"unbound-number", "en.md", "all {kv_len} keys", "all 346 keys"},
           Row{"unbound-number", "zh.md", "两个指数和", "2 个指数和"},
           Row{"unbound-number", "en.md", "## tiles | Cut the cache", "## tiles | Cut 1 cache"},
           Row{"binding", "en.md", "{now.low.factor:4}", "{now.lower.factor:4}"},
           Row{"binding", "en.md", "{now.low.factor:4}", "{now.low.factor:z}"},
           Row{"binding", "en.md", "{now.low.factor:4}", "{tile[12].m}"},
           Row{"future", "en.md", "Head {q_head}", "Head {result.S}"},
           Row{"future", "zh.md", "第 {q_head} 头", "第 {merge[4].a.weight} 头"},
           Row{"one-language", "zh.md", "{now.low.factor:4}", "{now.high.factor:4}"},
           Row{"one-language", "zh.md", "$\\S{}$ 是多少", "它是多少"},
           Row{"step", "lesson.toml", "step = \"at_merge(9)\"", "step = \"at_merge(19)\""},
           Row{"step", "lesson.toml", "step = \"start\"", "step = \"start - 1\""},
           Row{"term", "lesson.toml", "terms = { S = \"now.S\" }", "terms = { T = \"now.S\" }"},
           Row{"future", "lesson.toml", "S-b = \"merge[7].b.S\"", "S-b = \"merge[7].S\""},
           Row{"term", "lesson.toml", "S-b = \"merge[7].b.S\"", "S-b = \"merge[7].b.T\""},
           Row{"highlight", "lesson.toml", "highlight = [\"tile[0]\"]", "highlight = [\"tile[11]\"]"},
           Row{"highlight", "lesson.toml", "highlight = [\"tile[0]\"]", "highlight = [\"num_tiles\"]"},
           // gates
           Row{"gate", "lesson.toml", "answer = \"1 ÷ 2:2\"", "answer = \"now.a.weight\""},
           Row{"gate", "lesson.toml", "answer = \"1 ÷ 2:2\"", "answer = \"now.a.l ÷ (now.a.l + now.b.l)\""},
           Row{"gate", "lesson.toml", "answer = \"1 ÷ 2:2\"", "answer = \"0 ÷ 0\""},
           Row{"gate", "lesson.toml", "range = [0, 1]", "range = [0, 0.5]"},
           Row{"gate", "lesson.toml", "reveal = \"at_merge(4)\"", "reveal = \"at_merge(4) - 1\""},
           Row{"gate", "lesson.toml", "answer = \"now.a.weight:4\"", "answer = \"now.a.name\""},
           // words
           Row{"length", "en.md", "The algebra is exact;", many_words},
           Row{"empty", "en.md", "What share $\\w{a}$ of the pair goes to {now.a.name}?", ""},
           Row{"full-stop", "en.md", "### sum | add the two", "### sum | add the two."},
           Row{"glossary", "zh.md", "切缓存\n", "切瓦片\n"},
           Row{"glossary", "en.md", "# One real decode", "# One real chunk"},
           Row{"wording", "zh.md", "什么都不改变。", "什么都不改变！"},
           // Markdown
           Row{"dollar", "en.md", "So nothing was approximated.", "It costs $5 and $10 more."},
           Row{"dollar", "zh.md", "所以这里没有任何近似。", "这个$五元和$六元。"},
           Row{"dollar", "en.md", "So nothing was approximated.", "So $nothing was approximated."},
           Row{"bold", "zh.md", "所以这里没有任何近似。", "所以**“没有近似”**这样。"},
           Row{"markdown", "en.md", "So nothing was approximated.", "> So nothing was approximated."},
           Row{"markdown", "en.md", "So nothing was approximated.", "| a |\n|---|\n| $\\lvert x |$ |\n"},
           Row{"markdown", "en.md", "So nothing was approximated.", "So *nothing* was approximated."},
           Row{"markdown", "en.md", "So nothing was approximated.", "So {nothing was approximated."},
           // Chinese typography
           Row{"typography", "zh.md", "每个 key 得到", "每个key 得到"},
           Row{"typography", "zh.md", "softmax 把", "softmax把"},
           Row{"typography", "zh.md", "GPU 有许多处理器，query", "GPU 有许多处理器, query"},
           Row{"typography", "zh.md", "GPU 有许多处理器，query", "GPU 有许多处理器， query"},
           Row{"typography", "zh.md", "右引号后面", "右引号\"后面"},
           Row{"typography", "zh.md", "GPU 有许多处理器", "GPU 有 许 多处理器"},
           Row{"typography", "zh.md", "所以这里没有任何近似。", "，所以这里没有任何近似。"},
           Row{"typography", "en.md", "So nothing was approximated.", "So “nothing” was approximated."},
           // formulas
           Row{"formula", "en.md", "$$\\S{} = \\m{} + \\ln \\l{}$$", "$$\\S{} = \\ln \\l{} + \\m{}$$"},
           Row{"formula", "formulas/index.json", "fdlab-formulas", "formulas"},
           Row{"formula", "formulas/index.json", "[\n", "[3,\n{\"tex\":1},\n\""},
       }) {
    CAPTURE(row.rule);
    CAPTURE(row.new_text);
    LessonCopy copy;
    copy.replace(row.file, row.old_text, row.new_text);
    CHECK(has_rule(check_lesson(copy.path(), kLessons), row.rule));
  }
}

TEST_CASE("formulas must be rendered, complete and self-contained") {
  const std::string svg = "formulas/79bb709812407826.svg";
  const auto finds_formula = [](const LessonCopy& copy) {
    return has_rule(check_lesson(copy.path(), kLessons), "formula");
  };
  {
    LessonCopy copy;
    copy.remove(svg);
    CHECK(finds_formula(copy));
  }
  {
    LessonCopy copy;
    copy.write("formulas/0000000000000000.svg", "<svg></svg>");
    CHECK(finds_formula(copy));
  }
  for (const auto& [from, to] :
       {std::pair{"<svg ", "<svg width=\"3ex\" "}, std::pair{"id=\"m-a\"", "id=\"m-x\""},
        std::pair{"<path ", "<text>你</text><path "},
        std::pair{"data-mml-node=\"mo\"", "data-mml-node=\"merror\""}, std::pair{"<svg", "<png"}}) {
    LessonCopy copy;
    const std::string new_text = to;
    copy.replace(svg, from, new_text);
    CAPTURE(new_text);
    CHECK(finds_formula(copy));
  }
}

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "viz/prose_lines.h"

using namespace fdlab;

namespace {

// Every character one unit wide, a blank as well.
std::vector<std::string> lines_of(ProseSplitter splitter, float width) {
  std::vector<ProsePiece> pieces = splitter.take();
  for (ProsePiece& piece : pieces) {
    piece.width = 0;
    for (const char c : piece.text) piece.width += (c & 0xC0) != 0x80;
  }
  std::vector<std::string> out;
  for (const ProseLine& line : break_lines(pieces, width)) {
    out.emplace_back();
    for (std::size_t i = line.begin; i < line.end; ++i)
      out.back() += (i > line.begin && pieces[i].blank_before > 0 ? " " : "") + pieces[i].text;
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text, float width) {
  ProseSplitter splitter;
  splitter.add_text(text, false, 1);
  return lines_of(std::move(splitter), width);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("English breaks at blanks, a long word stands alone") {
  CHECK(lines_of("two tiles become one", 9) == Lines{"two tiles", "become", "one"});
  CHECK(lines_of("a log-sum-exponential b", 6) == Lines{"a", "log-sum-exponential", "b"});
  CHECK(lines_of("", 6).empty());
  CHECK(lines_of("   ", 6).empty());
}

TEST_CASE("hanzi break one by one, Latin inside them does not") {
  CHECK(lines_of("两个 tile 合成一个", 5) == Lines{"两个", "tile", "合成一个"});
  CHECK(lines_of("一二三四五六", 2) == Lines{"一二", "三四", "五六"});
}

TEST_CASE("no hanzi stands alone on the last line") {
  CHECK(lines_of("一二三四五", 2) == Lines{"一二", "三", "四五"});
  CHECK(lines_of("一二三四。", 3) == Lines{"一二", "三四。"});
  CHECK(lines_of("一二，三。", 3) == Lines{"一", "二，三。"});
  CHECK(lines_of("一 two 三", 5) == Lines{"一", "two 三"});
  CHECK(lines_of("tile 三", 4) == Lines{"tile", "三"});  // nothing could come down but the whole line
}

TEST_CASE("no line begins with closing or ends with opening punctuation") {
  CHECK(lines_of("一二，三四", 2) == Lines{"一", "二，", "三四"});
  CHECK(lines_of("一二（三）四", 3) == Lines{"一二", "（三）", "四"});
  CHECK(lines_of("合并“两个”。完", 3) == Lines{"合并", "“两", "个”。", "完"});
}

TEST_CASE("punctuation stays with the formula or number before it") {
  ProseSplitter splitter;
  splitter.add_text("from ", false, 1);
  splitter.add_whole({.kind = ProsePiece::Kind::number, .text = "9.614"});
  splitter.add_text(". Then ", false, 1);
  splitter.add_whole({.kind = ProsePiece::Kind::formula, .text = "mm"});
  splitter.add_text("，于是", false, 1);
  CHECK(lines_of(std::move(splitter), 6) == Lines{"from", "9.614.", "Then", "mm，于是"});
}

TEST_CASE("a unit stays with its number") {
  CHECK(lines_of("after 28 µs, in all", 9) == Lines{"after", "28 µs, in", "all"});
  CHECK(lines_of("at 94 GB/s.", 6) == Lines{"at", "94 GB/s."});
  CHECK(lines_of("共用 128 µs。", 5) == Lines{"共用", "128 µs。"});
  CHECK(lines_of("with 3 sums", 7) == Lines{"with 3", "sums"});
  CHECK(lines_of("in µs alone", 4) == Lines{"in", "µs", "alone"});
  ProseSplitter splitter;
  splitter.add_text("不会快过", false, 1);
  splitter.add_whole({.kind = ProsePiece::Kind::number, .text = "27.9"});
  splitter.add_text(" µs。", false, 1);
  CHECK(lines_of(std::move(splitter), 6) == Lines{"不会快过", "27.9 µs。"});
}

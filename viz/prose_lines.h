// Breaks a block of prose into lines: pure arithmetic on pieces whose widths are known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fdlab {

/// A word, one hanzi, a formula or a number: what a line is made of and never broken inside.
struct ProsePiece {
  enum class Kind { text, formula, number, code };
  Kind kind = Kind::text;
  std::string text{};  ///< text, code: as drawn; formula: TeX; number: the binding
  bool bold = false;
  float width = 0, ascent = 0, descent = 0;
  float blank_before = 0;        ///< width of the blank before it, where there is one
  bool may_break_before = true;  ///< a line may begin here
};

/// Pieces begin … end − 1 stand on one line.
struct ProseLine {
  std::size_t begin = 0, end = 0;
  float width = 0;
};

/// Splits words into pieces: at blanks (glued into `blank_before`) and around each hanzi. No line begins with closing
/// punctuation or ends with opening punctuation; a unit stays with its number. `blank` is the width of a blank; widths are left
/// to the caller.
/// `pending_blank` and `previous` carry over from run to run.
class ProseSplitter {
 public:
  void add_text(const std::string& text, bool bold, float blank);
  void add_whole(ProsePiece piece);
  std::vector<ProsePiece> take() { return std::move(pieces_); }

 private:
  void append(ProsePiece piece, char32_t first, char32_t last);

  std::vector<ProsePiece> pieces_;
  float blank_ = 0;
  char32_t last_ = 0;  // last character so far; 0 at the start, kWhole after a formula or number
};

/// Greedy: as many pieces a line as fit; a piece wider than the line stands alone.
std::vector<ProseLine> break_lines(const std::vector<ProsePiece>& pieces, float width);

}  // namespace fdlab

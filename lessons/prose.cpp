#include "lessons/prose.h"

#include <md4c.h>

#include "lessons/unicode.h"

namespace fdlab {
namespace {

// Blocks and spans that the format does not have, by the name an author knows them under.
const char* name_of_unknown(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE: return "a quotation";
    case MD_BLOCK_HR: return "a rule across the page";
    case MD_BLOCK_H: return "a heading inside a stop";
    case MD_BLOCK_HTML: return "HTML";
    case MD_BLOCK_TABLE: return "a table";
    default: return nullptr;
  }
}

/// A line break in the source is a blank, except where Chinese has none: between hanzi, and beside its punctuation.
void resolve_line_breaks(std::string& text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    const char32_t before = last_code_point(std::string_view(text).substr(0, at)).value;
    const char32_t after = first_code_point(std::string_view(text).substr(at + 1)).value;
    const bool is_tight = is_full_width_punctuation(before) || is_full_width_punctuation(after) ||
                          (is_hanzi(before) && is_hanzi(after));
    if (is_tight) text.erase(at, 1);
    else text[at] = ' ';
  }
}

class Builder {
 public:
  Prose take() {
    close_words();
    return std::move(prose_);
  }

  void enter_block(MD_BLOCKTYPE type, void* detail) {
    if (const char* name = name_of_unknown(type)) prose_.faults.push_back(name);
    switch (type) {
      case MD_BLOCK_UL: next_ordinal_ = 0; break;
      case MD_BLOCK_OL: next_ordinal_ = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start; break;
      case MD_BLOCK_LI:
        open(ProseBlock::Kind::list_item);
        prose_.blocks.back().ordinal = next_ordinal_;
        if (next_ordinal_ > 0) ++next_ordinal_;
        is_in_item_ = true;
        break;
      case MD_BLOCK_P:
        if (!is_in_item_) open(ProseBlock::Kind::paragraph);
        break;
      case MD_BLOCK_CODE: open(ProseBlock::Kind::code); break;
      default: break;
    }
  }
  void leave_block(MD_BLOCKTYPE type) {
    close_words();
    if (type == MD_BLOCK_LI) is_in_item_ = false;
    if (type == MD_BLOCK_P) lift_display_formula();
  }
  void enter_span(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_STRONG: switch_bold(true); break;
      case MD_SPAN_CODE: begin(ProseRun::Kind::code); break;
      case MD_SPAN_LATEXMATH: begin(ProseRun::Kind::formula); break;
      case MD_SPAN_LATEXMATH_DISPLAY:
        begin(ProseRun::Kind::formula);
        has_display_ = true;
        break;
      case MD_SPAN_EM: prose_.faults.push_back("emphasis by a single * or _ (Bold is the only one)"); break;
      case MD_SPAN_A:
      case MD_SPAN_IMG: prose_.faults.push_back("a link or an image"); break;
      default: prose_.faults.push_back("a span of an unknown kind"); break;
    }
  }
  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_STRONG) switch_bold(false);
    if (type == MD_SPAN_CODE || type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY)
      is_literal_ = false;
  }
  void text(MD_TEXTTYPE type, std::string_view piece) {
    if (prose_.blocks.empty()) return;
    if (is_literal_ || prose_.blocks.back().kind == ProseBlock::Kind::code) return literal(piece);
    words_ += type == MD_TEXT_SOFTBR || type == MD_TEXT_BR ? std::string_view("\n") : piece;
  }

 private:
  void open(ProseBlock::Kind kind) {
    close_words();
    prose_.blocks.push_back({kind, 0, {}});
    has_display_ = false;
  }
  void begin(ProseRun::Kind kind) {
    close_words();
    is_literal_ = true;
    if (!prose_.blocks.empty()) prose_.blocks.back().runs.push_back({kind, "", is_bold_});
  }
  /// md4c hands over a span's text in several pieces.
  void literal(std::string_view piece) {
    auto& runs = prose_.blocks.back().runs;
    if (runs.empty()) runs.push_back({ProseRun::Kind::code, "", false});
    runs.back().text += piece;
  }
  void switch_bold(bool is_bold) {
    close_words();
    is_bold_ = is_bold;
  }
  /// Words gathered so far become runs, cut at {bindings}.
  void close_words() {
    std::string_view rest = words_;
    while (!rest.empty()) {
      const std::size_t open = rest.find('{');
      add(ProseRun::Kind::text, rest.substr(0, open));
      if (open == std::string_view::npos) break;
      const std::size_t close = rest.find('}', open);
      if (close == std::string_view::npos) {
        prose_.faults.push_back("a { without its }");
        break;
      }
      add(ProseRun::Kind::number, rest.substr(open + 1, close - open - 1));
      rest.remove_prefix(close + 1);
    }
    words_.clear();
  }
  void add(ProseRun::Kind kind, std::string_view text) {
    if (text.empty() && kind == ProseRun::Kind::text) return;
    ProseRun run{kind, std::string(text), is_bold_};
    resolve_line_breaks(run.text);
    prose_.blocks.back().runs.push_back(std::move(run));
  }
  void lift_display_formula() {
    if (!has_display_) return;
    ProseBlock& block = prose_.blocks.back();
    if (block.runs.size() != 1) prose_.faults.push_back("a $$ formula that shares its paragraph with text");
    block.kind = ProseBlock::Kind::formula;
    has_display_ = false;
  }

  Prose prose_;
  std::string words_;
  std::int64_t next_ordinal_ = 0;
  bool is_in_item_ = false, is_bold_ = false, is_literal_ = false, has_display_ = false;
};

Builder& builder(void* user) { return *static_cast<Builder*>(user); }

}  // namespace

Prose parse_prose(std::string_view markdown) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_LATEXMATHSPANS | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS | MD_FLAG_TABLES;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    builder(user).enter_block(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    builder(user).leave_block(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void*, void* user) {
    builder(user).enter_span(type);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    builder(user).leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    builder(user).text(type, {text, size});
    return 0;
  };
  Builder build;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &build);
  return build.take();
}

}  // namespace fdlab

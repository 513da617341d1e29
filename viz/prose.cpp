#include "viz/prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/draw.h"
#include "viz/formula.h"
#include "viz/prose_lines.h"

namespace fdlab {
namespace {

/// One pass over the prose: measures, and draws if it is told to.
class Writer {
 public:
  Writer(Ui& ui, const ProseContext& context, const ProseStyle& style, Rect box, bool draws)
      : ui_(ui), context_(context), style_(style), box_(box), draws_(draws), y_(box.y0) {}

  float write(const Prose& prose) {
    for (const ProseBlock& block : prose.blocks) {
      if (y_ > box_.y0) y_ += std::round(gap_before(block));
      write_block(block);
    }
    return y_ - box_.y0;
  }

 private:
  float gap_before(const ProseBlock& block) const {
    return (block.kind == ProseBlock::Kind::list_item ? 0.5f
            : block.kind == ProseBlock::Kind::formula ? 2.0f
                                                      : 1.6f) *
           ui_.u;
  }

  void write_block(const ProseBlock& block) {
    switch (block.kind) {
      case ProseBlock::Kind::formula: write_display(block.runs.front().text); break;
      case ProseBlock::Kind::code: write_code(block.runs.front().text); break;
      case ProseBlock::Kind::list_item: write_item(block); break;
      case ProseBlock::Kind::paragraph: write_lines(block, box_.x0); break;
    }
  }

  void write_item(const ProseBlock& block) {
    const std::string mark = block.ordinal > 0 ? fmt::format("{}.", block.ordinal) : std::string("–");
    const float indent = std::round(std::max(text_width(ui_, style_.font, mark) + 1.5f * ui_.u, 3 * ui_.u));
    const float height = line_height(ui_, style_.font);
    if (draws_)
      text_at(ui_, {box_.x0, y_ + baseline_in(ui_, style_.font, height)}, mark,
              {.font = style_.font, .role = Role::text3});
    write_lines(block, box_.x0 + indent);
  }

  void write_code(const std::string& text) {
    const Font mono{.mono = true};
    const float height = line_height(ui_, mono), pad = 2 * ui_.u;
    const auto lines = static_cast<float>(std::count(text.begin(), text.end(), '\n') + 1);
    const Rect frame{box_.x0, y_, box_.x1, y_ + lines * height + 2 * ui_.u};
    if (draws_) {
      fill(ui_, frame, ui_.color(Role::sunken), ui_.px(3));
      float y = frame.y0 + ui_.u;
      for (std::size_t from = 0; from <= text.size(); y += height) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        text_in(ui_, {frame.x0 + pad, y, frame.x1 - pad, y + height},
                std::string_view(text).substr(from, end - from), {.font = mono});
        from = end + 1;
      }
    }
    y_ = frame.y1;
  }

  // A formula that stands alone: in a box of its own, as large as fits.
  void write_display(const std::string& tex) {
    const float pad = 2 * ui_.u, room = box_.width() - 2 * pad;
    float tex_em = 1.05f * formula_em(ui_, style_.font);
    FormulaSize size = formula_size(ui_, tex, tex_em, true);
    if (size.width > room) {
      tex_em *= room / size.width;
      size = formula_size(ui_, tex, tex_em, true);
    }
    const Rect frame = snapped(Rect{box_.x0, y_, box_.x1, y_ + size.ascent + size.descent + 2 * pad});
    if (draws_) {
      fill(ui_, frame, ui_.color(Role::raised), ui_.px(3));
      write_formula({frame.center().x - size.width / 2, frame.y0 + pad + size.ascent}, tex, tex_em, true,
                    Role::text);
    }
    y_ = frame.y1 + 0.5f * ui_.u;
  }

  std::vector<ProsePiece> pieces_of(const ProseBlock& block) {
    ProseSplitter splitter;
    for (const ProseRun& run : block.runs) {
      const Font font{style_.font.size, run.bold || style_.font.bold};
      const float blank = text_width(ui_, font, " ");
      if (run.kind == ProseRun::Kind::text) splitter.add_text(run.text, run.bold, blank);
      else splitter.add_whole(whole_piece(run));
    }
    std::vector<ProsePiece> pieces = splitter.take();
    for (ProsePiece& piece : pieces)
      if (piece.kind == ProsePiece::Kind::text) piece.width = text_width(ui_, font_of(piece), piece.text);
    return pieces;
  }

  ProsePiece whole_piece(const ProseRun& run) {
    ProsePiece piece{.text = run.text, .bold = run.bold};
    if (run.kind == ProseRun::Kind::formula) {
      piece.kind = ProsePiece::Kind::formula;
      const FormulaSize size = formula_size(ui_, run.text, formula_em(ui_, style_.font));
      piece.width = size.width, piece.ascent = size.ascent, piece.descent = size.descent;
    } else if (run.kind == ProseRun::Kind::number) {
      piece.kind = ProsePiece::Kind::number;
      piece.width = text_width(ui_, font_of(piece), bound(run.text).text);
    } else {
      piece.kind = ProsePiece::Kind::code;
      piece.width = text_width(ui_, {.mono = true}, run.text) + ui_.u;
    }
    return piece;
  }

  Font font_of(const ProsePiece& piece) const { return {style_.font.size, piece.bold || style_.font.bold}; }

  void write_lines(const ProseBlock& block, float x0) {
    const std::vector<ProsePiece> pieces = pieces_of(block);
    const float height = line_height(ui_, style_.font), baseline = baseline_in(ui_, style_.font, height);
    for (const ProseLine& line : break_lines(pieces, box_.x1 - x0)) {
      float above = baseline, below = height - baseline;
      for (std::size_t i = line.begin; i < line.end; ++i) {
        above = std::max(above, std::ceil(pieces[i].ascent) + 1);
        below = std::max(below, std::ceil(pieces[i].descent) + 1);
      }
      if (draws_) write_line(pieces, line, {x0, y_ + above});
      y_ += above + below;
    }
  }

  void write_line(const std::vector<ProsePiece>& pieces, const ProseLine& line, Vec2 pen) {
    for (std::size_t i = line.begin; i < line.end; ++i) {
      if (i > line.begin) pen.x += pieces[i].blank_before;
      write_piece(pieces[i], pen);
      pen.x += pieces[i].width;
    }
  }

  void write_piece(const ProsePiece& piece, Vec2 pen) {
    const Font font = font_of(piece);
    switch (piece.kind) {
      case ProsePiece::Kind::text:
        text_at(ui_, pen, piece.text, {.font = font, .role = piece.bold ? Role::text : style_.role});
        break;
      case ProsePiece::Kind::formula:
        write_formula(pen, piece.text, formula_em(ui_, style_.font), false, style_.role);
        break;
      case ProsePiece::Kind::number: write_number(pen, piece); break;
      case ProsePiece::Kind::code:
        text_at(ui_, {pen.x + ui_.u / 2, pen.y}, piece.text, {.font = {.mono = true}, .role = Role::text});
        break;
    }
  }

  void write_formula(Vec2 baseline, const std::string& tex, float tex_em, bool is_display, Role role) {
    std::string hovered;
    const std::string id = fmt::format("{}.formula", style_.id);
    const FormulaSize size = draw_formula(ui_, baseline, tex, tex_em,
                                          {.is_display = is_display, .role = role, .id = id}, &hovered);
    for (const TermBinding& term : context_.terms) {
      if (term.id != hovered) continue;
      const auto value = term.expression.evaluate(context_.scope);
      if (!value || !value->number) continue;
      const Rect near{baseline.x, baseline.y - size.ascent, baseline.x + size.width,
                      baseline.y + size.descent};
      const std::string text =
          number_text(*value->number, value->is_count, {NumberFormat::Style::fixed, 4}, ui_.language);
      tooltip(ui_, near, fmt::format("{} = {}{}{}", term.id, text, value->unit[0] ? " " : "", value->unit));
    }
  }

  void write_number(Vec2 pen, const ProsePiece& piece) {
    const Binding::Bound number = bound(piece.text);
    const Font font = font_of(piece);
    const std::string id = fmt::format("{}.{}", style_.id, piece.text);
    text_at(
        ui_, pen, number.text,
        {.font = font, .role = role_of(number.value.quantity, Role::text), .id = id, .label = piece.text});
    const float foot = std::round(pen.y + 0.22f * em(ui_, font)), dot = ui_.px(1);
    for (float x = std::round(pen.x); x < pen.x + piece.width; x += 3 * dot)
      fill(ui_, {x, foot, x + dot, foot + dot}, ui_.color(Role::text3));
    const Rect r = snapped(Rect{pen.x, pen.y - em(ui_, font), pen.x + piece.width, foot + dot}.grown(1));
    const std::string link = link_of(number.value.referent);
    if (ui_.is_linked(link)) outline(ui_, r, ui_.color(role_of(number.value.quantity, Role::text)), dot);
    if (!is_pointed_at(ui_, r)) return;
    if (!link.empty()) ui_.link(link);
    tooltip(ui_, r, piece.text.substr(0, piece.text.rfind(':')));
  }

  // A binding that cannot be evaluated shows its source: the checker has said why.
  Binding::Bound bound(const std::string& source) const {
    const auto binding = Binding::parse(source);
    if (!binding) return {"{" + source + "}", {}};
    auto value = binding->evaluate(context_.scope, ui_.language);
    return value ? *value : Binding::Bound{"{" + source + "}", {}};
  }

  Ui& ui_;
  const ProseContext& context_;
  const ProseStyle& style_;
  Rect box_;
  bool draws_;
  float y_;
};

}  // namespace

float prose_height(Ui& ui, const Prose& prose, float width, const ProseContext& context,
                   const ProseStyle& style) {
  return Writer(ui, context, style, {0, 0, width, 0}, false).write(prose);
}

float draw_prose(Ui& ui, const Prose& prose, Rect box, const ProseContext& context, const ProseStyle& style) {
  return Writer(ui, context, style, box, true).write(prose);
}

std::string link_of(const Referent& referent) {
  using enum Referent::Kind;
  switch (referent.kind) {
    case key: return fmt::format("key-{}", referent.index);
    case tile: return fmt::format("tile-{}", referent.index);
    case stream: return fmt::format("stream-{}", referent.index);
    case node: return fmt::format("node-{}", referent.index);
    case result: return "result";
    case grid: return fmt::format("grid-{}", referent.index);
    case sweep: return fmt::format("splits-{}", referent.index);
    case none:
    case step:
    case reference: return {};
  }
  return {};
}

Role role_of(Quantity quantity, Role otherwise) {
  switch (quantity) {
    case Quantity::m: return Role::m;
    case Quantity::l: return Role::l;
    case Quantity::o: return Role::o;
    case Quantity::S: return Role::S;
    default: return otherwise;
  }
}

}  // namespace fdlab

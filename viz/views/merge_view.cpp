// The merges: a box for every ⊕ with its S, edges as wide as the weight they carry.
#include <algorithm>
#include <optional>

#include "lessons/number_text.h"
#include "viz/draw.h"
#include "viz/views/stage_frame.h"
#include "viz/views/view_text.h"

namespace fdlab {
namespace {

constexpr Font kSmall{FontSize::S};
constexpr double kSlideSeconds = 0.24;

Phrase caption_of(MergeOrder order) {
  switch (order) {
    case MergeOrder::sequential: return Phrase::merge_chain;
    case MergeOrder::tree: return Phrase::merge_tree;
    case MergeOrder::two_step: return Phrase::merge_two_step;
    case MergeOrder::flat: return Phrase::merge_flat;
  }
  return Phrase::merge_tree;
}

class MergeView {
 public:
  MergeView(Ui& ui, const StageFrame& frame)
      : ui_(ui), frame_(frame), layout_(layout_merges(request(), frame.columns, frame.trace.tree())) {}

  void draw() {
    // Edges of the present step last: they lie over their neighbours.
    for (const bool now : {false, true}) {
      for (const MergeBox& box : layout_.boxes)
        if ((progress(box) == Progress::now) == now) draw_edges(box);
      for (const MergeSpoke& spoke : layout_.spokes)
        if ((frame_.progress.of_weigh(spoke.stream) == Progress::now) == now) draw_spoke(spoke);
    }
    for (const MergeBox& box : layout_.boxes) draw_box(box);
    for (const MergeBox& box : layout_.boxes) draw_slide(box);
    draw_caption();
  }

 private:
  MergeRequest request() const {
    const bool has_merges = merge_levels(frame_.order, frame_.trace.tree()) > 0;
    const float legend = legend_width(),
                words = std::max(text_width(ui_, {}, ui_.tr(caption_of(frame_.plan().merge))),
                                 text_width(ui_, kSmall, ui_.tr(Phrase::line_width_is_weight)));
    return {.area = frame_.rows.merges,
            .level_pitch = frame_.rows.level_pitch,
            .decimals = frame_.rows.decimals,
            .characters_before_point = frame_.request.characters_before_point,
            .caption_width = has_merges ? std::ceil(std::max(legend, words)) : 0,
            .caption_height = has_merges ? 3 * ui_.px(22) : 0,
            .focus_level = focus_level()};
  }

  std::int64_t focus_level() const {
    const Step& step = frame_.progress.step();
    if (step.kind == StepKind::check) return frame_.trace.tree().num_levels();
    return step.kind == StepKind::merge ? frame_.trace.tree().level(step.merge) : 0;
  }

  Progress progress(const MergeBox& box) const { return frame_.progress.of_box(box.kind, box.index); }

  std::int64_t step_of(const MergeBox& box) const {
    const StepIndex& steps = frame_.trace.steps();
    switch (box.kind) {
      case StepKind::fold: return steps.of_tile_in_stream(box.index);
      case StepKind::merge: return steps.of_merge(box.index);
      case StepKind::log_sum: return steps.scan_end() + box.index;
      default: return steps.merge_end();
    }
  }
  std::string name_of(const MergeBox& box) const {
    switch (box.kind) {
      case StepKind::fold: return link_id("fold", box.index);
      case StepKind::merge: return link_id("node", frame_.trace.tree().leaves() + box.index);
      case StepKind::log_sum: return link_id("log-sum", box.index);
      default: return "whole-row";
    }
  }
  bool is_root(const MergeBox& box) const {
    return (box.kind == StepKind::merge &&
            frame_.trace.tree().leaves() + box.index == frame_.trace.tree().root()) ||
           box.kind == StepKind::flat || box.kind == StepKind::weigh;
  }

  bool is_highlighted(const MergeBox& box) const {
    if (is_root(box) && frame_.is_highlighted(Referent::Kind::result, 0)) return true;
    return box.kind == StepKind::merge &&
           frame_.is_highlighted(Referent::Kind::node, frame_.trace.tree().leaves() + box.index);
  }

  // ---- Edges

  Color edge_color(Progress progress) const {
    if (progress == Progress::now) return ui_.color(Role::mark);
    return ui_.color(progress == Progress::done ? Role::text3 : Role::line2);
  }
  /// 1 + 7 × weight pixels; a hairline before it is known and beside an empty side.
  void draw_edge(const MergeEdge& edge, Progress progress, std::optional<float> weight) {
    const float width = weight && *weight > 0 ? std::round(ui_.px(1) + *weight * ui_.px(7)) : ui_.px(1);
    for (const Rect r : edge_rects(edge, width)) fill(ui_, r, edge_color(progress));
  }
  void draw_weight(const MergeEdge& edge, Progress progress, float weight, const std::string& id,
                   Align align) {
    const std::string text = weight == 0 ? "0" : fixed_text(weight, 2);
    if (edge.label.is_empty() || !is_in_sight(edge.label))
      return note_value(ui_, id, "weight", text, rect_around(edge));
    text_in(ui_, edge.label, text,
            {.font = kSmall,
             .role = progress == Progress::now ? Role::text : Role::text2,
             .align = align,
             .id = id,
             .label = "weight"});
  }
  static Rect rect_around(const MergeEdge& edge) {
    return {edge.points[0].x, edge.points[0].y, edge.points[0].x + 1, edge.points[1].y};
  }

  void draw_edges(const MergeBox& box) {
    if (box.kind == StepKind::flat || box.kind == StepKind::weigh) return;
    const Progress state = progress(box);
    if (state == Progress::not_yet) {
      draw_edge(box.a, state, {});
      draw_edge(box.b, state, {});
      return;
    }
    const StepDetail detail = frame_.trace.detail(step_of(box));
    draw_edge(box.a, state, detail.weight_a);
    draw_edge(box.b, state, detail.weight_b);
    const std::string name = name_of(box);
    draw_weight(box.a, state, detail.weight_a, name + ".weight-a",
                box.a.points[0].x < box.box.x0 && box.kind != StepKind::merge ? Align::right : Align::left);
    draw_weight(
        box.b, state, detail.weight_b, name + ".weight-b",
        box.kind == StepKind::merge && frame_.plan().merge == MergeOrder::tree ? Align::right : Align::left);
    if (state == Progress::now) {
      link_weight(box.a, "w-a");
      link_weight(box.b, "w-b");
    }
  }
  void link_weight(const MergeEdge& edge, std::string_view link) {
    link_area(ui_, edge.label, link);
    draw_link(ui_, edge.label.grown(ui_.px(2)), link);
  }

  void draw_spoke(const MergeSpoke& spoke) {
    const Progress state = frame_.progress.of_weigh(spoke.stream);
    if (state == Progress::not_yet) return draw_edge(spoke.edge, state, {});
    const float share = frame_.trace.stream_share(spoke.stream);
    draw_edge(spoke.edge, state, share);
    draw_weight(spoke.edge, state, share, link_id("spoke", spoke.stream) + ".weight", Align::left);
  }

  // ---- Boxes

  Partial partial_of(const MergeBox& box) const {
    switch (box.kind) {
      case StepKind::fold:
        return frame_.trace.stream_after(frame_.plan().stream_of(box.index),
                                         frame_.plan().place_in_stream(box.index) + 1);
      case StepKind::merge: return frame_.trace.node(frame_.trace.tree().leaves() + box.index);
      case StepKind::flat: return frame_.trace.result();
      default: return frame_.trace.detail(step_of(box)).result;
    }
  }

  /// What the box is to the merge at that progress, if it is one of its sides.
  Side side_of(const MergeBox& box, const StageProgress& progress) const {
    if (box.kind == StepKind::merge) return progress.side_of_node(frame_.trace.tree().leaves() + box.index);
    if (box.kind != StepKind::fold) return Side::none;
    const std::int64_t stream = frame_.plan().stream_of(box.index);
    const bool ends_stream = frame_.order.of_tile(box.index) == frame_.order.last_of_stream(stream);
    return ends_stream ? progress.side_of_node(stream) : Side::none;
  }

  void draw_box(const MergeBox& box) {
    const Progress state = progress(box);
    const std::string name = name_of(box);
    const Side side = side_of(box, frame_.progress), name_side = side_of(box, frame_.named);
    if (state == Progress::not_yet) {
      fill(ui_, box.box, ui_.color(Role::bg));
      dashed_outline(ui_, box.box, ui_.color(Role::line2));
    } else {
      const bool is_now = state == Progress::now;
      fill(ui_, box.box, ui_.color(is_now ? Role::accent : Role::card));
      if (!is_now && side != Side::none) fill(ui_, box.box, ui_.tint(Role::accent_bg));
      const bool is_marked = (is_now && ui_.theme == Theme::light) || side != Side::none;
      outline(ui_, box.box, ui_.color(is_marked ? Role::mark : Role::line2), is_marked ? ui_.px(2) : 1);
      const std::string id = name + ".S";
      TextStyle style{.font = {FontSize::M, is_now},
                      .role = is_now ? Role::accent_ink : Role::S,
                      .align = Align::center,
                      .id = id,
                      .label = "S"};
      draw_value(box.box, partial_of(box), style);
      const std::string link = name_side != Side::none ? StageFrame::link_of("S", name_side)
                               : is_now                ? "S"
                                                       : name;
      draw_link(ui_, box.box.grown(ui_.px(2)), link, is_now ? Role::mark : Role::S);
      if (is_now || name_side != Side::none) link_area(ui_, box.box, link);
    }
    if (state != Progress::now && is_highlighted(box)) draw_highlight(ui_, box.box, name);
    draw_side(box.box, name_side, name);
    if (is_root(box)) draw_root_name(box.box);
    draw_link(ui_, box.box.grown(ui_.px(2)), name, Role::S);
    point_at(box, name);
  }

  /// On play the two partials slide into the box that they become.
  void draw_slide(const MergeBox& box) {
    if (!slides(box)) return;
    const float left = 1 - ui_.passed(kSlideSeconds), share = 1 - left * left * left;  // ease-out
    const StepDetail detail = frame_.trace.detail(step_of(box));
    for (const auto& [edge, partial] : {std::pair{box.a, detail.a}, {box.b, detail.b}}) {
      const Vec2 at = point_along(edge, share), half{box.box.width() / 2, box.box.height() / 2};
      const Rect moving = snapped(Rect{at.x - half.x, at.y - half.y, at.x + half.x, at.y + half.y});
      fill(ui_, moving, ui_.color(Role::card));
      outline(ui_, moving, ui_.color(Role::mark), ui_.px(2));
      draw_value(moving, partial, {.role = Role::S, .align = Align::center});
    }
  }
  bool slides(const MergeBox& box) const {
    return ui_.step_was_played && progress(box) == Progress::now && box.kind != StepKind::flat &&
           box.kind != StepKind::weigh && ui_.passed(kSlideSeconds) < 1;
  }

  /// What stands half outside the stage keeps its value to itself.
  bool is_in_sight(Rect r) const { return ui_.internals.clips.back().covers(r); }

  void draw_value(Rect r, const Partial& partial, TextStyle style) {
    if (!is_in_sight(r)) return;
    if (partial.empty) style.role = Role::text3;
    const double S = partial.S_ln;
    if (!partial.empty && !std::isfinite(S)) return number_in(ui_, r.shrunk(ui_.u, 0), S, 0, style);
    text_in(ui_, r, fixed_text(S, partial.empty ? 0 : layout_.decimals), style);
  }

  void draw_side(Rect r, Side side, const std::string& name) {
    if ((side != Side::a && side != Side::b) || !is_in_sight(r)) return;
    const std::string id = name + ".side";
    // Beside the box; under its outer corner where a chain enters from the left.
    const bool is_chain = name.starts_with("fold-");
    const Rect beside{r.x0 - ui_.px(14), r.y0, r.x0 - ui_.px(4), r.y1};
    const float x0 = side == Side::a ? r.x0 : r.x1 - ui_.px(10);
    const Rect label = is_chain ? rect_at({x0, r.y1 + ui_.px(1)}, ui_.px(10), ui_.px(18)) : beside;
    text_in(ui_, label, StageFrame::name_of(side),
            {.font = {FontSize::M, true}, .align = Align::right, .id = id});
  }

  /// At the check the reference's S stands beside the root's.
  std::string root_name() const {
    const bool is_check = frame_.progress.step().kind == StepKind::check;
    if (!is_check || !frame_.trace.reference()) return ui_.tr(Phrase::root_is_row);
    return say(ui_, Phrase::float64_says, fixed_text(frame_.trace.reference()->lse_ln, layout_.decimals));
  }

  void draw_root_name(Rect r) {
    const std::string text = root_name();
    const float width = std::ceil(text_width(ui_, kSmall, text)), x0 = r.x1 + 2 * ui_.u;
    if (!is_in_sight({x0, r.y0, x0 + width, r.y1})) return;
    text_in(ui_, {x0, r.y0, x0 + width, r.y1}, text,
            {.font = kSmall, .role = Role::text3, .id = "root.name"});
  }

  void point_at(const MergeBox& box, const std::string& name) {
    const Hit hit = hit_area(ui_, name, box.box, false);
    if (hit.was_clicked) ui_.send(CommandId::go_step, step_of(box));
    if (!hit.is_hovered) return;
    if (ui_.internals.next_hover_link.empty()) ui_.link(name);
    if (progress(box) == Progress::not_yet)
      return tooltip(ui_, box.box, say(ui_, Phrase::at_step, step_of(box)));
    const StepDetail detail = frame_.trace.detail(step_of(box));
    if (box.kind == StepKind::flat || box.kind == StepKind::weigh)
      return tooltip(ui_, box.box, say(ui_, Phrase::box_value, fixed_text(detail.result.S_ln, 6)));
    tooltip(ui_, box.box,
            say(ui_, Phrase::box_values, fixed_text(detail.result.S_ln, 6), fixed_text(detail.weight_a, 4),
                fixed_text(detail.weight_b, 4)));
  }

  // ---- Caption

  struct Swatch {
    Phrase name;
    Progress progress;
  };
  static constexpr Swatch kSwatches[] = {{Phrase::swatch_done, Progress::done},
                                         {Phrase::swatch_now, Progress::now},
                                         {Phrase::swatch_not_yet, Progress::not_yet}};

  float swatch_width(const Swatch& swatch) const {
    return ui_.px(18) + ui_.u + std::ceil(text_width(ui_, kSmall, ui_.tr(swatch.name))) + 3 * ui_.u;
  }
  float legend_width() const {
    float width = 0;
    for (const Swatch& swatch : kSwatches) width += swatch_width(swatch);
    return width;
  }

  void draw_caption() {
    if (layout_.caption.is_empty()) return;
    Cutter cut{layout_.caption};
    const float row = ui_.px(22);
    text_in(ui_, cut.top(row), ui_.tr(caption_of(frame_.plan().merge)), {.id = "merges.caption"});
    text_in(ui_, cut.top(row), ui_.tr(Phrase::line_width_is_weight), {.font = kSmall, .role = Role::text3});
    Cutter swatches{cut.top(row)};
    for (const Swatch& swatch : kSwatches) draw_swatch(swatches.left(swatch_width(swatch)), swatch);
  }
  void draw_swatch(Rect area, const Swatch& swatch) {
    const Rect box = snapped(rect_at({area.x0, area.center().y - ui_.px(6)}, ui_.px(18), ui_.px(12)));
    if (swatch.progress == Progress::not_yet) {
      dashed_outline(ui_, box, ui_.color(Role::line2));
    } else {
      const bool is_now = swatch.progress == Progress::now;
      fill(ui_, box, ui_.color(is_now ? Role::accent : Role::card));
      outline(ui_, box, ui_.color(is_now ? Role::mark : Role::line2));
    }
    text_in(ui_, {box.x1 + ui_.u, area.y0, area.x1, area.y1}, ui_.tr(swatch.name),
            {.font = kSmall, .role = Role::text3});
  }

  Ui& ui_;
  const StageFrame& frame_;
  MergeLayout layout_;
};

}  // namespace

void draw_merges(Ui& ui, const StageFrame& frame) {
  const Clip clip(ui,
                  {frame.request.area.x0, frame.rows.merges.y0, frame.request.area.x1, frame.rows.merges.y1});
  MergeView(ui, frame).draw();
}

}  // namespace fdlab

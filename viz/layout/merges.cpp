#include "viz/layout/merges.h"

#include <algorithm>

namespace fdlab {
namespace {

constexpr float kFirstFork = 62, kBoxWidth = 72, kBoxHeight = 28, kPort = 18, kLabelHeight = 14,
                kLabelWidth = 28;

class Builder {
 public:
  Builder(const MergeRequest& request, const Columns& columns, const MergeTree& tree)
      : request_(request), columns_(columns), order_(columns.order()), tree_(tree) {
    layout_.decimals = request.decimals;
    top_ = request.area.y0;
    row_ = top_ + px(kFirstFork);
  }

  MergeLayout build() {
    if (!order_.is_one_tile_per_stream()) folds();
    switch (order_.plan().merge) {
      case MergeOrder::sequential: chain(StepKind::merge); break;
      case MergeOrder::tree: levels(); break;
      case MergeOrder::two_step:
        chain(StepKind::log_sum);
        one_box(StepKind::weigh);
        break;
      case MergeOrder::flat:
        if (tree_.leaves() > 1) one_box(StepKind::flat);
        break;
    }
    keep_in_sight(request_.focus_level);
    place_caption();
    return std::move(layout_);
  }

 private:
  float px(float at_100_percent) const { return scaled_px(columns_.F(), at_100_percent); }
  float row_center() const { return row_ + std::floor(px(kBoxHeight) / 2); }
  void next_row() {
    top_ = row_ + px(kBoxHeight);
    row_ += request_.level_pitch;
  }

  Rect box_at(float center, float width) const {
    const float left = center - std::floor(width / 2);
    return {left, row_, left + width, row_ + px(kBoxHeight)};
  }
  /// A box of a chain leaves room for the edge from its left neighbour.
  float chain_width() const { return std::min(px(kBoxWidth), columns_.pitch() - px(10)); }

  void add(StepKind kind, std::int64_t index, Rect box, MergeEdge a, MergeEdge b) {
    layout_.boxes.push_back({kind, index, box, a, b});
    layout_.bottom = std::max(layout_.bottom, box.y1);
    while (layout_.decimals > 0 &&
           !fits_number(box.width(), columns_.F(), request_.characters_before_point, layout_.decimals))
      --layout_.decimals;
  }

  // ---- Chains

  /// Streams fold their tiles: from the second on, stream ⊕ tile stands under the tile.
  void folds() {
    const std::int64_t begin = std::max<std::int64_t>(0, columns_.first() - 1);
    for (std::int64_t slot = begin; slot < std::min(columns_.end() + 1, order_.count()); ++slot) {
      const Slot at = order_.at(slot);
      if (at.place > 0) link(StepKind::fold, at.tile, slot - 1, slot, at.place == 1);
    }
    tails_hang_from_folds_ = true;
    next_row();
  }

  /// Streams join from left to right: stream i ⊕ everything before it.
  void chain(StepKind kind) {
    const std::int64_t first = order_.at(columns_.first()).stream;
    const std::int64_t last = order_.at(columns_.end() - 1).stream;
    for (std::int64_t stream = std::max<std::int64_t>(1, first);
         stream <= std::min(last + 1, tree_.leaves() - 1); ++stream)
      link(kind, kind == StepKind::merge ? stream - 1 : stream, order_.last_of_stream(stream - 1),
           order_.last_of_stream(stream), stream == 1);
    if (tree_.leaves() > 1) {
      tails_hang_from_chain_ = kind == StepKind::log_sum;
      next_row();
    }
  }

  /// One link: the box under `slot`, b from above, a from the box under `before` or, at the chain's head, from its column.
  void link(StepKind kind, std::int64_t index, std::int64_t before, std::int64_t slot, bool is_head) {
    const float center = columns_.center(slot), from = columns_.center(before);
    const Rect box = box_at(center, chain_width());
    const float y = row_center();
    MergeEdge a, b;
    const float start = is_head ? from : from + std::ceil(chain_width() / 2);
    a.points = {Vec2{start, is_head ? tail(before) : y}, {start, y}, {box.x0, y}, {box.x0, y}};
    const Vec2 end{center, box.y0};
    b.points = {Vec2{center, tail(slot)}, end, end, end};
    const float y_label = box.y0 - px(kLabelHeight) - px(4);
    const float half = columns_.pitch() / 2;
    if (box.y0 - top_ > px(kLabelHeight) + px(4) && half >= px(kLabelWidth) + px(6)) {
      a.label = rect_at({center - px(6) - px(kLabelWidth), y_label}, px(kLabelWidth), px(kLabelHeight));
      b.label = rect_at({center + px(6), y_label}, px(kLabelWidth), px(kLabelHeight));
    }
    add(kind, index, box, a, b);
  }

  /// Lower end of what stands in a slot: its card or, where a box of an earlier chain took it in, that box.
  float tail(std::int64_t slot) const {
    const bool is_under_fold = tails_hang_from_folds_ && order_.at(slot).place > 0;
    return is_under_fold ? top_ : request_.area.y0;
  }

  // ---- Tree

  void levels() {
    const std::int64_t first = order_.at(columns_.first()).stream;
    const std::int64_t last = order_.at(columns_.end() - 1).stream;
    std::int64_t begin = 0;
    for (std::int64_t level = 1; level <= tree_.num_levels(); ++level) {
      const std::int64_t end = first_merge_above(level);
      // Of a level's merges, which stand in key order, those that reach into sight.
      std::int64_t i = first_where(begin, end, [&](std::int64_t m) { return range(m).end > first; });
      for (; i < end && range(i).begin <= last; ++i) fork(i);
      begin = end;
      next_row();
    }
  }

  MergeTree::LeafRange range(std::int64_t merge) const { return tree_.leaf_range(tree_.leaves() + merge); }
  std::int64_t first_merge_above(std::int64_t level) const {
    return first_where(0, tree_.num_merges(), [&](std::int64_t m) { return tree_.level(m) > level; });
  }
  template <class Predicate>
  static std::int64_t first_where(std::int64_t low, std::int64_t high, Predicate is_true) {
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (is_true(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  float node_center(std::int64_t node) const {
    const auto [begin, end] = tree_.leaf_range(node);
    return columns_.center_of_streams(begin, end);
  }
  float node_bottom(std::int64_t node) const {
    if (node < tree_.leaves()) return hang_of_stream(node);
    return first_row_ + static_cast<float>(tree_.level(node - tree_.leaves()) - 1) * request_.level_pitch +
           px(kBoxHeight);
  }
  float hang_of_stream(std::int64_t stream) const {
    if (!tails_hang_from_folds_) return request_.area.y0;
    const bool folded = order_.at(order_.last_of_stream(stream)).place > 0;
    return folded ? request_.area.y0 + px(kFirstFork) + px(kBoxHeight) : request_.area.y0;
  }

  void fork(std::int64_t merge) {
    if (first_row_ == 0) first_row_ = row_;
    const auto children = tree_.children(merge);
    const Rect box = box_at(node_center(tree_.leaves() + merge), px(kBoxWidth));
    const float gap = row_ - top_;
    const float elbow = row_ - std::min(px(12), std::floor(gap / 2));
    const Vec2 port_a{box.center().x - px(kPort), box.y0}, port_b{box.center().x + px(kPort), box.y0};
    MergeEdge a = branch(children.a, port_a, elbow), b = branch(children.b, port_b, elbow);
    place_fork_labels(a, b, elbow);
    add(StepKind::merge, merge, box, a, b);
  }
  MergeEdge branch(std::int64_t child, Vec2 port, float elbow) const {
    const float x = std::floor(node_center(child));
    MergeEdge edge;
    edge.points = {Vec2{x, node_bottom(child)}, {x, elbow}, {port.x, elbow}, port};
    return edge;
  }
  /// Weights stand inside the fork, beside the lines they belong to.
  void place_fork_labels(MergeEdge& a, MergeEdge& b, float elbow) const {
    const float top = top_ + (elbow - top_ > px(30) ? px(8) : px(1)), height = px(kLabelHeight);
    const float x0 = a.points[0].x + px(7), x1 = b.points[0].x - px(7);
    if (elbow - px(4) < top + height || x1 - x0 < 2 * px(kLabelWidth)) return;
    a.label = {x0, top, x0 + px(kLabelWidth), top + height};
    b.label = {x1 - px(kLabelWidth), top, x1, top + height};
  }

  /// A tree deeper than the stage moves up under the cards until the level and the next are in sight.
  void keep_in_sight(std::int64_t level) {
    if (first_row_ == 0 || level < 1) return;
    const auto last = static_cast<float>(std::min(level + 1, tree_.num_levels()) - 1);
    const float foot = first_row_ + last * request_.level_pitch + px(kBoxHeight) + spacing_unit(columns_.F());
    const float up = std::min(0.0f, request_.area.y1 - foot);
    for (MergeBox& box : layout_.boxes) {
      box.box = box.box.moved(0, up);
      for (MergeEdge* edge : {&box.a, &box.b}) {
        for (Vec2& point : edge->points) point.y += up;
        if (!edge->label.is_empty()) edge->label = edge->label.moved(0, up);
      }
    }
    layout_.bottom += up;
  }

  // ---- One box for all streams

  void one_box(StepKind kind) {
    const float center = columns_.center_of_streams(0, tree_.leaves());
    const Rect box =
        box_at(std::clamp(center, columns_.left() + px(kBoxWidth), columns_.right()), px(kBoxWidth));
    const float bus = row_ - px(12);
    const std::int64_t first = order_.at(columns_.first()).stream,
                       last = order_.at(columns_.end() - 1).stream;
    for (std::int64_t stream = first; stream <= last; ++stream) {
      const float x = columns_.center(order_.last_of_stream(stream));
      MergeSpoke spoke{stream, {}};
      const Vec2 end{box.center().x, box.y0};
      spoke.edge.points = {Vec2{x, spoke_start(stream)}, {x, bus}, {end.x, bus}, end};
      if (columns_.pitch() > px(kLabelWidth) + px(12) && bus - top_ >= px(kLabelHeight) + px(6))
        spoke.edge.label = rect_at({x + px(7), top_ + px(4)}, px(kLabelWidth), px(kLabelHeight));
      layout_.spokes.push_back(spoke);
    }
    add(kind, 0, box, {}, {});
  }
  float spoke_start(std::int64_t stream) const {
    const bool is_under_chain = tails_hang_from_chain_ && stream > 0;
    return is_under_chain ? top_ : hang_of_stream(stream);
  }

  /// Title and legend go to the lower left, unless a box or an edge is there.
  void place_caption() {
    const Rect area = request_.area;
    const float x0 = columns_.gutter_left(), u = spacing_unit(columns_.F());
    const float y1 =
        std::min(area.y1 - 2 * u, std::max(layout_.bottom + u, area.y0 + request_.caption_height));
    const Rect caption{x0, y1 - request_.caption_height, x0 + request_.caption_width, y1};
    const bool fits = caption.y0 >= area.y0 && request_.caption_height > 0;
    if (fits && !touches(caption.grown(px(4)))) layout_.caption = caption;
  }
  bool touches(Rect r) const {
    const auto edge_touches = [&](const MergeEdge& edge) {
      const auto rects = edge_rects(edge, 8);
      return std::any_of(rects.begin(), rects.end(), [&](Rect e) { return !e.is_empty() && e.overlaps(r); });
    };
    return std::any_of(layout_.boxes.begin(), layout_.boxes.end(),
                       [&](const MergeBox& b) {
                         return b.box.overlaps(r) || edge_touches(b.a) || edge_touches(b.b);
                       }) ||
           std::any_of(layout_.spokes.begin(), layout_.spokes.end(),
                       [&](const MergeSpoke& s) { return edge_touches(s.edge); });
  }

  const MergeRequest& request_;
  const Columns& columns_;
  const SlotOrder& order_;
  const MergeTree& tree_;
  MergeLayout layout_;
  float top_, row_,
      first_row_ = 0;  // lower edge of the level above, upper edge of this level, of the tree's first
  bool tails_hang_from_folds_ = false, tails_hang_from_chain_ = false;
};

}  // namespace

Vec2 point_along(const MergeEdge& edge, float share) {
  const auto length = [&](std::size_t i) {
    const Vec2 p = edge.points[i], q = edge.points[i + 1];
    return std::abs(q.x - p.x) + std::abs(q.y - p.y);  // right angles only
  };
  float left = share * (length(0) + length(1) + length(2));
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec2 p = edge.points[i], q = edge.points[i + 1];
    if (left <= length(i) && length(i) > 0)
      return {p.x + (q.x - p.x) * left / length(i), p.y + (q.y - p.y) * left / length(i)};
    left -= length(i);
  }
  return edge.points[3];
}

std::array<Rect, 3> edge_rects(const MergeEdge& edge, float width) {
  const float before = std::floor(width / 2), after = width - before;
  std::array<Rect, 3> rects;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec2 p = edge.points[i], q = edge.points[i + 1];
    if (p == q) continue;
    // Across by the width, and over the bends at either end so that corners are full.
    const bool begins_at_bend = i > 0 && !(p == edge.points[i - 1]),
               ends_at_bend = i < 2 && !(q == edge.points[i + 2]);
    const bool is_vertical = p.x == q.x;
    const bool low_bend = (is_vertical ? p.y < q.y : p.x < q.x) ? begins_at_bend : ends_at_bend;
    const bool high_bend = (is_vertical ? p.y < q.y : p.x < q.x) ? ends_at_bend : begins_at_bend;
    rects[i] = {std::min(p.x, q.x) - (is_vertical || low_bend ? before : 0),
                std::min(p.y, q.y) - (!is_vertical || low_bend ? before : 0),
                std::max(p.x, q.x) + (is_vertical || high_bend ? after : 0),
                std::max(p.y, q.y) + (!is_vertical || high_bend ? after : 0)};
  }
  return rects;
}

MergeLayout layout_merges(const MergeRequest& request, const Columns& columns, const MergeTree& tree) {
  return Builder(request, columns, tree).build();
}

}  // namespace fdlab

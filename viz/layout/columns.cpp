#include "viz/layout/columns.h"

#include <algorithm>

namespace fdlab {
namespace {

constexpr float kGutter = 2;            // in F
constexpr float kSmallestPitch = 2.2f;  // in F

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Columns::Columns(const SlotOrder& order, const ColumnRequest& request) : order_(order), F_(request.F) {
  const float u = spacing_unit(F_), margin = 3 * u;
  const std::int64_t slots = order_.count(), streams = order_.plan().num_streams;
  gutter_left_ = request.x0 + margin;
  left_ = gutter_left_ + (request.has_gutter ? std::round(kGutter * F_) : 0);
  group_gap_ = order_.is_one_tile_per_stream() ? 0 : u;

  // All columns if each gets its smallest pitch, else as many as do.
  const float space = request.x1 - margin - left_;
  const float smallest = std::ceil(kSmallestPitch * F_);
  const float all_pitch =
      std::floor((space - group_gap_ * static_cast<float>(streams - 1)) / static_cast<float>(slots));
  if (all_pitch >= smallest || slots == 1) {
    shown_ = slots;
    pitch_ = all_pitch;
  } else {
    shown_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(space / (smallest + group_gap_)), 1, slots);
    pitch_ = std::floor(space / static_cast<float>(shown_)) - group_gap_;
  }
  first_ = std::clamp<std::int64_t>(request.focus_slot - shown_ / 2, 0, slots - shown_);
  first_stream_ = order_.at(first_).stream;

  // Keys are as wide as whole pixels allow; a column is as wide as its keys where they nearly fill it.
  const float room = pitch_ - u;
  const std::int64_t keys =
      std::max<std::int64_t>(1, std::min(order_.plan().tile_size, order_.plan().kv_len));
  const auto room_px = std::max<std::int64_t>(1, static_cast<std::int64_t>(room));
  keys_per_px_ = ceil_div(keys, room_px);
  key_px_ = std::max(1.0f, std::floor(room / static_cast<float>(keys)));
  const float strip = key_px_ * static_cast<float>(ceil_div(keys, keys_per_px_));
  width_ = strip >= 0.85f * room ? strip : room;
  strip_inset_ = std::floor((width_ - strip) / 2);
}

float Columns::x(std::int64_t slot) const {
  const auto groups = group_gap_ == 0 ? 0 : order_.at(slot).stream - first_stream_;
  return left_ + static_cast<float>(slot - first_) * pitch_ + static_cast<float>(groups) * group_gap_;
}

float Columns::center_of_streams(std::int64_t begin, std::int64_t end) const {
  return std::floor((center(order_.last_of_stream(begin)) + center(order_.last_of_stream(end - 1))) / 2);
}

std::int64_t Columns::bars_of_tile(std::int64_t tile) const {
  return ceil_div(order_.plan().tile(tile).size(), keys_per_px_);
}

Columns::KeyPlace Columns::bar(std::int64_t tile, std::int64_t i) const {
  const KeyRange keys = order_.plan().tile(tile);
  const float x0 = x(order_.of_tile(tile)) + strip_inset_ + static_cast<float>(i) * key_px_;
  const std::int64_t begin = keys.begin + i * keys_per_px_;
  return {x0, x0 + key_px_, {begin, std::min(begin + keys_per_px_, keys.end)}};
}

std::int64_t Columns::slot_at(float x_px) const {
  std::int64_t low = first_, high = end();
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (x(middle) <= x_px ? low : high) = middle;
  }
  return x_px >= x(low) && x_px < x(low) + width_ ? low : -1;
}

std::int64_t Columns::key_at(float x_px) const {
  const std::int64_t slot = slot_at(x_px);
  const std::int64_t tile = slot < 0 ? -1 : order_.at(slot).tile;
  if (tile < 0) return -1;
  const auto i = static_cast<std::int64_t>(std::floor((x_px - x(slot) - strip_inset_) / key_px_));
  return i >= 0 && i < bars_of_tile(tile) ? bar(tile, i).keys.begin : -1;
}

}  // namespace fdlab

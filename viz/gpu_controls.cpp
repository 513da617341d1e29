#include "viz/gpu_controls.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "core/sim/gpu.h"

namespace fdlab {
namespace {

/// The next power of two in that direction, at least 1.
std::int64_t next_power(std::int64_t value, int direction) {
  const auto unsigned_value = static_cast<std::uint64_t>(value);
  if (direction > 0) return static_cast<std::int64_t>(std::bit_floor(unsigned_value) * 2);
  const std::uint64_t below = std::bit_floor(unsigned_value);
  return static_cast<std::int64_t>(std::max<std::uint64_t>(1, below == unsigned_value ? below / 2 : below));
}

std::string neighbour_gpu(const std::string& gpu, int direction) {
  const std::vector<std::string> names = builtin_gpu_names();
  const auto count = static_cast<std::ptrdiff_t>(names.size());
  const auto at = std::find(names.begin(), names.end(), gpu) - names.begin();
  return names[static_cast<std::size_t>((at + direction + count) % count)];
}

}  // namespace

std::optional<GpuSceneSpec> apply_control(const GpuSceneSpec& from, const Command& command,
                                          std::int64_t splits) {
  GpuSceneSpec spec = from;
  const auto set_batch_to = [&](std::int64_t batch) {
    spec.batch = batch;
    spec.a_batch.reset();  // A and B read the same again
  };
  using enum CommandId;
  switch (command.id) {
    case gpu_next: spec.gpu = neighbour_gpu(spec.gpu, 1); break;
    case gpu_back: spec.gpu = neighbour_gpu(spec.gpu, -1); break;
    case batch_up: set_batch_to(next_power(spec.batch, 1)); break;
    case batch_down: set_batch_to(next_power(spec.batch, -1)); break;
    case set_batch: set_batch_to(command.argument); break;
    case kv_heads_up: spec.kv_heads = next_power(spec.kv_heads, 1); break;
    case kv_heads_down: spec.kv_heads = next_power(spec.kv_heads, -1); break;
    case set_kv_heads: spec.kv_heads = command.argument; break;
    case group_up: spec.group = next_power(spec.group, 1); break;
    case group_down: spec.group = next_power(spec.group, -1); break;
    case set_group: spec.group = command.argument; break;
    case length_up: spec.kv_len = next_power(spec.kv_len, 1); break;
    case length_down: spec.kv_len = next_power(spec.kv_len, -1); break;
    case set_length: spec.kv_len = command.argument; break;
    case lengths_toggle: spec.is_ragged = !spec.is_ragged; break;
    case splits_up: spec.splits = splits + 1; break;
    case splits_down: spec.splits = splits - 1; break;
    case set_splits: spec.splits = command.argument; break;
    case splits_auto: spec.splits.reset(); break;
    default: return std::nullopt;
  }
  return clamped(spec);
}

}  // namespace fdlab

// The plan that a method runs under.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/plan/method.h"
#include "core/plan/plan.h"

namespace fdlab {

/// The plan for a sequence of kv_len keys. Standard attention has its own: every key a stream, all merged at once.
inline DecodePlan plan_for(Method method, DecodePlan plan, std::int64_t kv_len) {
  plan.kv_len = kv_len;
  if (method != Method::standard) return plan;
  return {.kv_len = kv_len,
          .tile_size = 1,
          .num_streams = std::max<std::int64_t>(1, kv_len),
          .deal = Deal::contiguous,
          .merge = MergeOrder::flat};
}

}  // namespace fdlab

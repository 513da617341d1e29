// What a traced run does with partials: how keys are scanned inside a tile, and how a partial is shown.
#pragma once

#include <type_traits>

#include "core/math/partial.h"
#include "core/trace/partial.h"

namespace fdlab {

/// The form in which keys are scanned inside a tile. The log-sum method counts m and l there too and forms
/// S = m + ln l when the tile is done (3.2.1, 1c).
template <class Form>
struct ScanForm {
  using Type = Form;
};
template <>
struct ScanForm<Lse<float>> {
  using Type = MlNormalised<float>;
};

/// What a finished tile keeps of its scan, and what a method that goes key by key keeps of a stream's.
template <class Form>
PartialOf<Form> finish_tile(const PartialOf<typename ScanForm<Form>::Type>& scan) {
  if constexpr (std::is_same_v<Form, Lse<float>>) return {to_log_sum(scan.stats), scan.payload};
  else return scan;
}

/// Statistics as a (m, l) pair whatever the form: (S, 1) for a log-sum.
inline MaxSum<float> as_max_sum(MaxSum<float> a) { return a; }
inline MaxSum<float> as_max_sum(LogSum<float> a) { return to_max_sum(a); }

template <class Form>
Partial shown(const PartialOf<Form>& a) {
  const MaxSum<float> ml = as_max_sum(a.stats);
  Partial partial{.empty = a.empty(),
                  .has_ml = std::is_same_v<typename Form::Stats, MaxSum<float>>,
                  .m = ml.m,
                  .l = ml.l,
                  .S_ln = to_log_sum(a.stats).S,
                  .o = output_of(a),
                  .O = {}};
  if constexpr (std::is_same_v<Form, MlUnnormalised<float>>) partial.O = a.payload;
  return partial;
}

}  // namespace fdlab

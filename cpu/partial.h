// A partial with its payload vector, in double: what is kept of a set of keys of one row, in one of the three forms.
#pragma once

#include <type_traits>
#include <vector>

#include "core/math/merge.h"

namespace fdlab {

template <class Form>
struct PartialOf {
  typename Form::Stats stats = Form::empty();
  std::vector<double> payload;  ///< v_head_dim components; not read while the partial is empty
};

/// a ⊕ b.
template <class Form>
PartialOf<Form> merge(const PartialOf<Form>& a, const PartialOf<Form>& b) {
  const auto merged = Form::merge(a.stats, b.stats);
  PartialOf<Form> both{merged.stats, std::vector<double>(a.payload.size())};
  for (std::size_t c = 0; c < both.payload.size(); ++c)
    both.payload[c] = merged.blend(a.payload[c], b.payload[c]);
  return both;
}

/// The o of a partial's keys: zeros when it is empty.
template <class Form>
std::vector<double> output_of(const PartialOf<Form>& a) {
  std::vector<double> o(a.payload.size(), 0.0);
  if (Form::is_empty(a.stats)) return o;
  for (std::size_t c = 0; c < o.size(); ++c) o[c] = Form::output(a.stats, a.payload[c]);
  return o;
}

/// An unnormalised partial in the form wanted: (m, l, O) → (m, l, O/l) or (S, O/l) or itself.
template <class Form>
PartialOf<Form> to_form(PartialOf<MlUnnormalised<double>> a) {
  if constexpr (std::is_same_v<Form, MlUnnormalised<double>>) return a;
  else if constexpr (std::is_same_v<Form, Lse<double>>) return {to_log_sum(a.stats), output_of(a)};
  else return {a.stats, output_of(a)};
}

}  // namespace fdlab

// A partial with its payload vector: what is kept of a set of keys of one query row, on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/math/merge.h"

namespace fdlab {

/// The number type that a form counts in.
template <class Form>
struct NumberOf;
template <template <class, class> class Form, class T, class Exp>
struct NumberOf<Form<T, Exp>> {
  using Type = T;
};

template <class Form>
struct PartialOf {
  using Number = typename NumberOf<Form>::Type;

  typename Form::Stats stats = Form::empty();
  std::vector<Number> payload;  ///< v_head_dim components; never read by ⊕ while the partial is empty

  bool empty() const { return Form::is_empty(stats); }
};

/// The neutral element, with room for `dim` components.
template <class Form>
PartialOf<Form> empty_partial(std::int64_t dim) {
  return {Form::empty(), std::vector<typename NumberOf<Form>::Type>(static_cast<std::size_t>(dim))};
}

/// a becomes a ⊕ (stats, payload). Returns what ⊕ said.
template <class Form, class Payload>
auto fold(PartialOf<Form>& a, typename Form::Stats stats, const Payload& payload) {
  const auto merged = Form::merge(a.stats, stats);
  for (std::size_t c = 0; c < a.payload.size(); ++c) a.payload[c] = merged.blend(a.payload[c], payload[c]);
  a.stats = merged.stats;
  return merged;
}
template <class Form>
auto fold(PartialOf<Form>& a, const PartialOf<Form>& b) {
  return fold(a, b.stats, b.payload);
}

/// The normalised output of a partial's keys: zeros when it is empty.
template <class Form>
std::vector<typename NumberOf<Form>::Type> output_of(const PartialOf<Form>& a) {
  std::vector<typename NumberOf<Form>::Type> o(a.payload.size());
  if (a.empty()) return o;
  for (std::size_t c = 0; c < o.size(); ++c) o[c] = Form::output(a.stats, a.payload[c]);
  return o;
}

}  // namespace fdlab

// An unnormalised partial brought into any of the three forms.
#pragma once

#include <type_traits>

#include "core/math/partial.h"

namespace fdlab {

/// (m, l, O) → (m, l, O/l) or (S, O/l) or itself.
template <class Form>
PartialOf<Form> to_form(PartialOf<MlUnnormalised<double>> a) {
  if constexpr (std::is_same_v<Form, MlUnnormalised<double>>) return a;
  else if constexpr (std::is_same_v<Form, Lse<double>>) return {to_log_sum(a.stats), output_of(a)};
  else return {a.stats, output_of(a)};
}

}  // namespace fdlab

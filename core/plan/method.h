// The ways of computing one row of decode attention. All give the same answer; they differ in what is kept of
// a set of keys and in when it is merged. The names are those of `--method`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fdlab {

enum class Method : std::uint8_t {
  standard,             ///< all scores of the row, then one softmax: a flat merge over single keys (2.1.1)
  online,               ///< key by key within a stream, o divided at every step (3.1.1)
  online_unnormalised,  ///< the same with O = l·o, divided once at the end
  mlo,                  ///< (m, l, o) per tile, o normalised (2.2)
  mlo_unnormalised,     ///< (m, l, O = l·o) per tile, divided once at the end (3.1.3)
  lse,                  ///< (S, o) per tile (2.3)
};

inline constexpr std::array kMethodNames{"standard", "online",           "online-unnormalised",
                                         "mlo",      "mlo-unnormalised", "lse"};

constexpr const char* name_of(Method method) { return kMethodNames[static_cast<std::size_t>(method)]; }

/// Keys join their stream one by one, and no tile has a partial of its own.
constexpr bool goes_key_by_key(Method method) {
  return method == Method::standard || method == Method::online || method == Method::online_unnormalised;
}

constexpr std::optional<Method> method_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kMethodNames.size(); ++i)
    if (name == kMethodNames[i]) return static_cast<Method>(i);
  return std::nullopt;
}

}  // namespace fdlab

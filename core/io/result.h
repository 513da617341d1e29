// A value, or the one sentence that says why there is none: what was expected and what was found. The
// terminal prints the sentence, the window shows it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace fdlab {

struct Fault {
  std::string sentence;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Fault fault) : held_(std::move(fault)) {}

  explicit operator bool() const { return std::holds_alternative<T>(held_); }
  T& operator*() { return std::get<T>(held_); }
  const T& operator*() const { return std::get<T>(held_); }
  T* operator->() { return &std::get<T>(held_); }
  const T* operator->() const { return &std::get<T>(held_); }
  const Fault& fault() const { return std::get<Fault>(held_); }

 private:
  std::variant<T, Fault> held_;
};

}  // namespace fdlab

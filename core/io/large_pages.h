// Large pages for large memory: the first touch of a page costs a trip into the system, which takes longer than what is written.
#pragma once

#include <cstddef>
#include <vector>

namespace fdlab {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// A hint for memory that will be written soon; nothing happens where the system knows no such pages.
void prefer_large_pages(void* memory, std::size_t bytes);

/// Room for `count` values. Large memory ends with a whole page: what is never touched costs nothing.
template <class T>
void reserve_large(std::vector<T>& values, std::size_t count) {
  if (count * sizeof(T) < kLargePage) return values.reserve(count);
  values.reserve(count + kLargePage / sizeof(T));
  prefer_large_pages(values.data(), values.capacity() * sizeof(T));
}

}  // namespace fdlab

#include "cpu/read_ceiling.h"

#include <hwy/highway.h>

namespace fdlab {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr hn::ScalableTag<std::uint64_t> kTag{};
using Vec = hn::Vec<hn::ScalableTag<std::uint64_t>>;
constexpr std::size_t kVector = hn::MaxLanes(hn::ScalableTag<std::uint64_t>()) * sizeof(std::uint64_t);

/// Four sums for each array, so that no addition waits for the one before.
struct Sums {
  Vec s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0;

  inline __attribute__((always_inline)) void add(const std::byte* from, std::size_t bytes) {
    const auto at = [from](std::size_t i) {
      return hn::LoadU(kTag, reinterpret_cast<const std::uint64_t*>(from + i));
    };
    for (std::size_t i = 0; i < bytes; i += 4 * kVector) {
      s0 = hn::Add(s0, at(i));
      s1 = hn::Add(s1, at(i + kVector));
      s2 = hn::Add(s2, at(i + 2 * kVector));
      s3 = hn::Add(s3, at(i + 3 * kVector));
    }
  }
  std::uint64_t total() const {
    return hn::GetLane(hn::SumOfLanes(kTag, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  }
};

template <std::size_t kTurn>
std::uint64_t read_in_turns(const std::byte* a, const std::byte* b, std::size_t bytes) {
  Sums of_a, of_b;
  for (std::size_t i = 0; i < bytes; i += kTurn) {
    of_a.add(a + i, kTurn);
    of_b.add(b + i, kTurn);
  }
  return of_a.total() + of_b.total();
}

}  // namespace

std::uint64_t FD_READ_STREAMS(const std::byte* a, const std::byte* b, std::size_t bytes, std::size_t turn) {
  if (turn == 256) return read_in_turns<256>(a, b, bytes);
  if (turn == 512) return read_in_turns<512>(a, b, bytes);
  Sums sums;
  sums.add(a, bytes);
  sums.add(b, bytes);
  return sums.total();
}

}  // namespace fdlab

// Who reads how fast, in closed form.
#include "core/sim/reads.h"

#include <doctest/doctest.h>

#include <limits>

using namespace fdlab;

namespace {

constexpr double kInFlight = 1000;

/// 4 SMs of 2 slots, all alike, the last two SMs on the second half.
Readers readers() {
  Readers r;
  r.bytes_in_flight = kInFlight;
  r.slots = 2;
  r.factor.assign(8, 1.0);
  r.on_second_half = {false, false, true, true};
  return r;
}

struct Start {
  std::int32_t block, sm, slot;
  std::int64_t bytes;
};

/// These blocks begin at tick 0.
Reads begun(const Readers& r, const std::vector<Start>& starts) {
  Reads reads(r, 4);
  for (const Start& s : starts) reads.begin(s.block, s.sm, s.slot, s.bytes, 0);
  reads.settle(0);
  return reads;
}

double tick_of_end(Reads& reads, std::int32_t block) {
  const double tick = reads.next_end();
  CHECK(reads.take(tick) == block);
  reads.settle(tick);
  return tick;
}

}  // namespace

TEST_CASE("alone a block reads its bytes in flight once a round") {
  Readers r = readers();
  r.factor[3] = 1.25;
  Reads reads(r, 2);
  CHECK(reads.is_empty());
  CHECK(reads.next_end() == std::numeric_limits<double>::infinity());
  reads.begin(0, 0, 0, 5000, 0);
  reads.begin(1, 1, 1, 5000, 0);
  reads.settle(0);
  CHECK(reads.demand() == doctest::Approx(kInFlight + kInFlight / 1.25));
  CHECK(reads.busy_sms() == 2);
  CHECK(tick_of_end(reads, 0) == doctest::Approx(5));
  CHECK(tick_of_end(reads, 1) == doctest::Approx(6.25));
  CHECK(reads.is_empty());
  CHECK(reads.demand() == 0);
  CHECK(reads.busy_sms() == 0);
}

TEST_CASE("blocks that don't read ahead lengthen each other's rounds for as long as they share an SM") {
  Readers r = readers();
  r.compute = 0.5;
  Reads reads = begun(r, {{0, 0, 0, 1000}, {1, 0, 1, 4000}, {2, 1, 0, 4000}});
  CHECK(reads.count() == 3);
  CHECK(tick_of_end(reads, 0) == doctest::Approx(2));  // a round of 1 + 2 · 0.5
  CHECK(tick_of_end(reads, 2) == doctest::Approx(4 * 1.5));
  CHECK(tick_of_end(reads, 1) == doctest::Approx(2 + 3 * 1.5));
}

TEST_CASE("a team keeps together: it waits as its members do on average, and computes as the least crowded") {
  Readers r = readers();
  r.compute = 0.5;
  r.team = 2;
  r.factor[0] = 0.9;
  r.factor[2] = 1.1;
  // Block 2 is of the other team, and shares an SM with block 0.
  Reads reads = begun(r, {{0, 0, 0, 3000}, {1, 1, 0, 3000}, {2, 0, 1, 9000}});
  CHECK(tick_of_end(reads, 0) == doctest::Approx(3 * 1.5));
  CHECK(tick_of_end(reads, 1) == doctest::Approx(3 * 1.5));
  CHECK(tick_of_end(reads, 2) == doctest::Approx(4.5 + 9 * 1.5 - 4.5 / 2 * 1.5));
}

TEST_CASE("a team on both halves is spared the way across, and loses that with its last member there") {
  Readers r = readers();
  r.team = 2;
  r.crossing = 0.1;
  {
    Reads reads = begun(r, {{0, 0, 0, 1000}, {1, 1, 0, 1000}, {2, 1, 1, 1000}, {3, 2, 0, 1000}});
    CHECK(tick_of_end(reads, 2) == doctest::Approx(0.9));
    CHECK(tick_of_end(reads, 3) == doctest::Approx(0.9));
    CHECK(tick_of_end(reads, 0) == doctest::Approx(1));
    CHECK(tick_of_end(reads, 1) == doctest::Approx(1));
  }
  Reads reads = begun(r, {{0, 0, 0, 1800}});
  reads.begin(1, 3, 0, 1800, 0.9);
  reads.settle(0.9);
  CHECK(tick_of_end(reads, 0) == doctest::Approx(0.9 + 0.81));
  CHECK(tick_of_end(reads, 1) == doctest::Approx(0.9 + 0.81 + 0.9));
}

TEST_CASE("the blocks of a team are those of one KV head and split") {
  Readers r = readers();
  r.team = 2;
  r.splits = 2;
  r.crossing = 0.5;
  // Heads 0 and 1, splits 0 and 1: blocks 0 and 2 read the same bytes, 1 and 3 too.
  Reads reads = begun(r, {{0, 0, 0, 1000}, {1, 1, 0, 1000}, {2, 2, 0, 1000}});
  CHECK(tick_of_end(reads, 0) == doctest::Approx(0.5));
  CHECK(tick_of_end(reads, 2) == doctest::Approx(0.5));
  CHECK(tick_of_end(reads, 1) == doctest::Approx(1));
}

// The peers of `fdlab bench cpu` compute the same attention, or beating them would mean nothing.
#include <doctest/doctest.h>

#include "cpu/bench.h"
#include "cpu/bench_peers.h"
#include "cpu/oracle.h"

using namespace fdlab;

TEST_CASE(
    "every peer agrees with the oracle, with groups of query heads and without, on any number of keys") {
  for (const BenchShape shape : {BenchShape{4, 4, 37, 8, DType::f32},
                                 {8, 2, 100, 16, DType::f32},
                                 {8, 1, 1, 128, DType::f32},
                                 {6, 6, 300, 64, DType::f32}}) {
    BenchProblem problem(shape, 1);
    const DecodeProblem p = problem.next();
    const std::vector<OracleRow> rows = oracle_rows(p);
    for (const BenchPeer& peer : bench_peers()) {
      CAPTURE(peer.name);
      const std::vector<float> o = peer.attention(p);
      REQUIRE(o.size() == static_cast<std::size_t>(p.q_heads * p.head_dim));
      for (std::size_t i = 0; i < o.size(); ++i)
        CHECK(o[i] ==
              doctest::Approx(
                  rows[i / static_cast<std::size_t>(p.head_dim)].o[i % static_cast<std::size_t>(p.head_dim)])
                  .epsilon(1e-5));
    }
  }
}

TEST_CASE("the copies that take turns hold the same numbers in memory of their own") {
  BenchProblem problem({2, 2, 64, 8, DType::f16}, 3 * 2 * 2 * 64 * 8 * 2);
  const DecodeProblem a = problem.next(), b = problem.next(), c = problem.next(), again = problem.next();
  CHECK(a.k.data != b.k.data);
  CHECK(b.k.data != c.k.data);
  CHECK(a.k.data == again.k.data);
  CHECK(oracle_rows(a)[1].o == oracle_rows(c)[1].o);
}

TEST_CASE("a gain that is too low is not claimable, but for one thread alone") {
  CHECK(is_claimable(1, 1.0));
  CHECK(is_claimable(2, 1.6));
  CHECK_FALSE(is_claimable(2, 1.59));
}

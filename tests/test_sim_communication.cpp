#include "core/sim/communication.h"

#include <doctest/doctest.h>

using namespace fdlab;

namespace {

DecodeShape llama_like() {
  DecodeShape shape;
  shape.q_heads = 32;
  shape.kv_heads = 8;
  shape.kv_len = 32768;
  return shape;
}

Exchange over_eight(Pattern pattern, Payload payload) {
  return exchange(llama_like(), 8, *find_link("nvlink-h200"), pattern, payload);
}

}  // namespace

TEST_CASE("the log-sum-exp saves one number in d + 2, not one in three") {
  const DecodeShape shape = llama_like();
  CHECK(numbers_per_row(shape, Payload::mlo) == 130);
  CHECK(numbers_per_row(shape, Payload::lse) == 129);
  const double saved = 1 - static_cast<double>(over_eight(Pattern::tree, Payload::lse).total_bytes) /
                               static_cast<double>(over_eight(Pattern::tree, Payload::mlo).total_bytes);
  CHECK(saved == doctest::Approx(0.0077).epsilon(0.001));
  DecodeShape one = shape;
  one.v_head_dim = 1;  // where o is one number, the third is right
  CHECK(static_cast<double>(numbers_per_row(one, Payload::lse)) /
            static_cast<double>(numbers_per_row(one, Payload::mlo)) ==
        doctest::Approx(2.0 / 3));
}

TEST_CASE("rounds and bytes") {
  CHECK(over_eight(Pattern::chain, Payload::lse).rounds == 7);
  CHECK(over_eight(Pattern::tree, Payload::lse).rounds == 3);
  CHECK(over_eight(Pattern::all_reduce, Payload::lse).rounds == 6);
  CHECK(over_eight(Pattern::all_gather, Payload::lse).rounds == 7);
  // One step of 32 query heads sends 16.5 KB of partials (measured beside it in the notes on two H200).
  CHECK(over_eight(Pattern::tree, Payload::lse).message_bytes == 32 * 129 * 4);
  CHECK(over_eight(Pattern::chain, Payload::lse).total_bytes ==
        over_eight(Pattern::tree, Payload::lse).total_bytes);
  const Exchange ring = over_eight(Pattern::ring, Payload::kv);
  CHECK(ring.message_bytes == llama_like().kv_bytes() / 8);
  CHECK(ring.total_bytes == 7 * llama_like().kv_bytes());
  CHECK(ring.time_us > 50 * over_eight(Pattern::all_reduce, Payload::lse).time_us);
  CHECK(exchange(llama_like(), 5, *find_link("pcie5"), Pattern::tree, Payload::mlo).rounds == 3);
}

TEST_CASE("latency, not bandwidth, is what a merge across GPUs costs") {
  const Exchange tree = over_eight(Pattern::tree, Payload::mlo);
  CHECK(3 * find_link("nvlink-h200")->latency_us > 0.9 * tree.time_us);
}

TEST_CASE("impossible exchanges are refused") {
  const Link link = *find_link("nvlink5");
  CHECK(all_exchanges(llama_like(), 8, link)->size() == 9);
  CHECK(all_exchanges(llama_like(), 1, link).fault().sentence == "expected 2 to 65536 devices, found 1");
  CHECK(find_link("string").fault().sentence ==
        "expected a link (ethernet-100g, infiniband-ndr, nvlink-h200, nvlink5, pcie5), found 'string'");
}

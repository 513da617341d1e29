// Decode over several GPUs, each holding a share of the KV cache: what must travel, how often, how long it takes.
//
// A partial of one query row is d_v numbers of o and its statistics: two (m, l) or one (S). Per row that is d_v + 2 against
// d_v + 1 numbers: the log-sum-exp saves 1 / (d_v + 2), 0.77 % at d_v = 128. (Counting o as one number makes it 3 against 2,
// a third; o is no number but a vector.) The large saving is to send partials instead of K and V, in log2 p rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/sim/decode_shape.h"

namespace fdlab {

struct Link {
  std::string name, source;
  double gb_s = 0;        ///< one way, of one device
  double latency_us = 0;  ///< of a small message
};
std::vector<Link> builtin_links();
Result<Link> find_link(const std::string& name);

/// What a message holds for every query row.
enum class Payload : std::uint8_t {
  mlo,  ///< m, l and o in fp32
  lse,  ///< S and o in fp32
  kv,   ///< no partial: a device's whole share of K and V
};

enum class Pattern : std::uint8_t {
  chain,       ///< device i merges what came from i − 1 and passes it on; the last one has the result
  tree,        ///< neighbours pairwise, level by level; the first one has the result
  all_gather,  ///< everybody sends its partial round a ring, everybody merges all
  all_reduce,  ///< a tree up and a tree down; everybody has the result
  ring,        ///< K and V go round: everybody sees every share (ring attention)
};

const char* name_of(Payload payload);
const char* name_of(Pattern pattern);

struct Exchange {
  Pattern pattern;
  Payload payload;
  std::int64_t rounds = 0;         ///< messages that must follow each other
  std::int64_t message_bytes = 0;  ///< one message
  std::int64_t total_bytes = 0;    ///< over all links
  double time_us = 0;              ///< rounds · (latency + message / bandwidth)
};

/// Numbers in one row's message; 0 for K and V.
std::int64_t numbers_per_row(const DecodeShape& shape, Payload payload);

Exchange exchange(const DecodeShape& shape, std::int64_t devices, const Link& link, Pattern pattern,
                  Payload payload);

/// Every sensible pairing of pattern and payload. Refuses fewer than 2 devices and more than 65,536.
Result<std::vector<Exchange>> all_exchanges(const DecodeShape& shape, std::int64_t devices, const Link& link);

}  // namespace fdlab
